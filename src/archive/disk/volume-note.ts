/** Small files of a volume's directory beside the segments, read and written in the volume's own thread. */
import { dirname } from "node:path";
import { type Disk, errorCodeOf, syncDirectory } from "./disk.js";

/** Largest such file that is read. */
export const NOTE_BYTES_MAX = 1024 * 1024;
const NOTE_MODE = 0o640;
const FOLDER_MODE = 0o750;
const IN_THE_WAY: ReadonlySet<string> = new Set(["EISDIR", "ENOTEMPTY", "EEXIST"]);

/** Its text; undefined when there is none. Throws the disk's error, and RangeError on what is too long. */
export function readNote(disk: Disk, path: string): string | undefined {
  try {
    const { size } = disk.statSync(path);
    if (size > NOTE_BYTES_MAX) throw new RangeError(`${path} is longer than ${NOTE_BYTES_MAX} bytes`);
    return disk.readFileSync(path, "utf8");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces it atomically: after a power cut there is the complete old or new text; once this returns, the new one. */
export function replaceNote(disk: Disk, path: string, text: string): undefined {
  const unfinished = `${path}.new`;
  makeFolder(disk, dirname(path));
  unlinkIfThere(disk, unfinished);
  const fd = disk.openSync(unfinished, "w", NOTE_MODE);
  try {
    disk.writeSync(fd, text);
    disk.fsyncSync(fd);
  } finally {
    disk.closeSync(fd);
  }
  takePlace(disk, unfinished, path);
  syncDirectory(disk, dirname(path));
  return undefined;
}

/** A note in a folder of its own has its name on the disk before it is written. */
function makeFolder(disk: Disk, folder: string): void {
  try {
    disk.statSync(folder);
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
    disk.mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
    syncDirectory(disk, dirname(folder));
  }
}

/** What an interrupted write, or somebody, left there. */
function unlinkIfThere(disk: Disk, path: string): void {
  try {
    disk.unlinkSync(path);
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
  }
}

/** A directory in the note's place is set aside. */
function takePlace(disk: Disk, from: string, to: string): void {
  try {
    disk.renameSync(from, to);
  } catch (error) {
    if (!IN_THE_WAY.has(errorCodeOf(error))) throw error;
    disk.renameSync(to, `${to}.in-the-way`);
    disk.renameSync(from, to);
  }
}
