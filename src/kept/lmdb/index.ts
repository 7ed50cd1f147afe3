/**
 * kept/lmdb: opening an LMDB environment without trusting its file: LMDB maps it, and a damaged one crashes the process.
 *
 * Belongs here: what the segment index, the event log and the configuration share: the addon, the child process
 * that reads a file first, the meaning of its exit status, the count of unclean openings, moving a bad file aside, retries, free disk
 * space, failed commits, and promises that lmdb rejects without a handler.
 * Does not belong here: keys, values, tables and their checksums, and what to do about a lost environment: each owner
 * decides.
 */
export { isAsClosed, noteClosed } from "./closed-note.js";
export { checkRoom, commitFault, type LmdbRoot, type LmdbTable, openRoot, openTable } from "./environment.js";
export {
  clearedPlaces,
  type Inspection,
  inspectDatabase,
  noteOpening,
  noteSettled,
  setAside,
} from "./inspection.js";
export { openLmdb } from "./library.js";
export { LmdbGuard } from "./lmdb-guard.js";
export { openWhenPossible } from "./opening.js";
export { LMDB_DAMAGE_CODES, printReason, runWalk, WALK_ROOM_BYTES, WALK_STATUS, walkTables } from "./walk.js";
export { walkInChild } from "./walk-child.js";
