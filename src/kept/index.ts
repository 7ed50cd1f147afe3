/**
 * kept: what outlives the process beside recordings: small files, each with a stated policy for when it is damaged, and databases
 * whose files are not trusted.
 *
 * Belongs here: what a small file is (name, format version, schema, copies, policy, words), and the one class that reads it,
 * joins writes of it and replaces it as a whole.
 * Does not belong here: what any file or database says (the room that owns it declares it), files for other programs, recordings.
 *
 * Parts: `file/`: small files; `lmdb/`: opening an LMDB environment, with a door of its own.
 *
 * Imports `base` and valibot.
 */
export { eachByItself, exactGuid, keptGuid, membersByThemselves } from "./file/entries.js";
export { type KeptCopy, KeptFile } from "./file/kept-file.js";
export { type Kept, keptKind } from "./file/kept-kind.js";
