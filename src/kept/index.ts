/**
 * kept: small files that outlive the process, each with a stated policy for when it is damaged.
 *
 * Belongs here: what a small file is (name, format version, schema, copies, policy, words), and the one class that reads it,
 * joins writes of it and replaces it as a whole.
 * Does not belong here: what any file says (the room that owns it declares it), files for other programs, recordings, and
 * databases.
 * Imports `base` and valibot.
 */
export { eachByItself, exactGuid, keptGuid, membersByThemselves } from "./entries.js";
export { type KeptCopy, KeptFile, type KeptFileOptions } from "./kept-file.js";
export {
  type Kept,
  KeptKind,
  type KeptKindOptions,
  type KeptPolicy,
  type KeptReading,
  keptKind,
} from "./kept-kind.js";
