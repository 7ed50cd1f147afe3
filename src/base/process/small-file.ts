import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import path from "node:path";

const FILE_MODE = 0o640;

/** The text of a small file of the data directory; undefined if there is none. Throws on other errors of the disk. */
export function readSmallFile(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Replaces a small file: after a power cut it holds the old text or the new one, whole. Resolves when it is durable.
 * @param mode The file's mode, whatever the umask; default: readable by its owner and group.
 */
export async function replaceSmallFile(file: string, text: string, mode?: number): Promise<void> {
  const unfinished = `${file}.new`;
  const handle = await open(unfinished, "w", mode ?? FILE_MODE);
  try {
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
  const directory = await open(path.dirname(file), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
