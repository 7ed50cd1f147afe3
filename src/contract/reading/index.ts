/**
 * What the service makes of the contract with a validator.
 *
 * Belongs here: readers of bodies, the schema of the stored configuration, notes for descriptions; the only use of valibot for them.
 *
 * Does not belong here: facts of a resource (`resource/`), and anything that the page takes.
 */

export { notesOf } from "./notes.js";
export {
  GUID_PATTERN,
  given,
  guidText,
  maybeGuidText,
  members,
  nameText,
  readerOf,
  readerOfMessages,
  readerOfValue,
  storedAllOr,
  storedEntries,
  storedValue,
} from "./reader.js";
export * as contractValues from "./values.js";
export { flag, guid, line, list, name, whole } from "./values.js";
export { minuteOfDay } from "./week-reader.js";
