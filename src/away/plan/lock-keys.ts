const REVISION_DIGITS = 10;

/** Where the lists of locks are: a recorder whose system disk is lost knows them again from there. */
export const LOCKS_FOLDER = "locks/";
/** A full list has some 600 KB. */
export const LOCKS_BYTES_MAX = 4 * 1024 * 1024;

/** As with manifests each list has a name of its own. */
export function locksKey(revision: number): string {
  return `${LOCKS_FOLDER}${String(revision).padStart(REVISION_DIGITS, "0")}.json`;
}
