/**
 * api/archive: what is recorded: runs of recording, the moment nearest to one, protected times.
 *
 * Belongs here: /archivefragments, findarchive of /command, protected times of a channel.
 * Does not belong here: playing it (`video`, `export`).
 */
export { deleteProtected, getProtected, postProtected } from "./channel-protected.js";
export {
  COMMAND_DESCRIPTION,
  FRAGMENTS_DESCRIPTION,
  PROTECT_DESCRIPTION,
  PROTECTED_DESCRIPTION,
  RECORDING_DESCRIPTION,
  SWITCH_RECORDING_DESCRIPTION,
  UNPROTECT_DESCRIPTION,
} from "./describe-archive.js";
export { findArchive } from "./find-archive.js";
export { getArchiveFragments } from "./get-archivefragments.js";
export type { ArchiveNeeds } from "./needs.js";
