/**
 * event: what happened: the catalogue of event types, the live bus, the log in LMDB and its search.
 *
 * Belongs here: types with their fixed GUIDs, keeping events, finding them again, telling listeners of new ones.
 * Does not belong here: what makes an event (`main` wires the sources), who may see it and how it is spelt (`api`).
 */
export * from "./catalogue.js";
export * from "./types.js";
