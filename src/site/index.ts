/**
 * site: the configuration: the server, cameras, security objects, user groups and users, views, locations, what
 * viewers are offered, where alarms go; with revisions, kept in LMDB.
 *
 * Belongs here: the model, its checks, its store, its history.
 * Does not belong here: who may do what (`access`), the API's spelling of it (`api`), acting on it (`camera`, `recording`).
 */
export * from "./alarm-target.js";
export * as alarmValues from "./alarm-target-schema.js";
export * from "./camera-roles.js";
export * from "./camera-settings.js";
export { changeWords } from "./change-words.js";
export { duplicates, foldName, unknownChannels } from "./check-parts.js";
export * from "./first-site.js";
export * from "./kept-settings.js";
export * from "./lmdb-site-store.js";
export * from "./model.js";
export * from "./nesting.js";
export type { HistoryEntry } from "./revision-history.js";
export * as siteValues from "./schema-primitives.js";
export * from "./security-tree.js";
export * from "./site-change.js";
export * from "./site-defaults.js";
export * from "./site-export.js";
export * from "./site-limits.js";
export * from "./site-settings.js";
export * from "./types.js";
export * from "./without-cameras.js";
