const REVISION_DIGITS = 10;

/** Where the tables of boots are: what is to be added to times that were recorded before the clock was known. */
export const BOOTS_FOLDER = "boots/";
/** A full table has some 800 KB. */
export const BOOTS_BYTES_MAX = 4 * 1024 * 1024;

/** As with manifests each table has a name of its own. */
export function bootsKey(revision: number): string {
  return `${BOOTS_FOLDER}${String(revision).padStart(REVISION_DIGITS, "0")}.json`;
}
