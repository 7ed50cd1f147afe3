/**
 * api/archive: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
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
