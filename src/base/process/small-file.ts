import { readPlain, readPlainSync } from "./plain-file.js";

/** Longer ones are none of ours. */
const SMALL_BYTES_MAX = 64 * 1024 * 1024;

/** The text of a small file of the data directory; undefined if there is none. Throws as `readPlainSync`. */
export function readSmallFile(file: string, bytesMax = SMALL_BYTES_MAX): string | undefined {
  try {
    return readPlainSync(file, bytesMax).toString("utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** As `readSmallFile`; what it throws names the file. */
export async function readSmallFileLater(
  file: string,
  bytesMax = SMALL_BYTES_MAX,
): Promise<string | undefined> {
  try {
    return (await readPlain(file, bytesMax)).toString("utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof Error && !error.message.includes(file)) error.message = `${file}: ${error.message}`;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
