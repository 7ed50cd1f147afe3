/** The reader thread's part in a move: pieces of a segment read on one volume and written on another, and the copy put in its place. */
import { dirname, join } from "node:path";
import { MOVING_DIRECTORY } from "../segment/segment-summary.js";
import { type Disk, errorCodeOf, syncDirectory, writeAll } from "./disk.js";
import { TO_THE_END } from "./native-disk.js";
import { openFirst } from "./segment-summaries.js";
import { listDay } from "./volume-listing.js";
import type { FilePiece, ReaderRequest } from "./volume-messages.js";

type Request<Op extends ReaderRequest["op"]> = Extract<ReaderRequest, { op: Op }>;

const FILE_MODE = 0o640;

/** Reads as much as the memory holds. What was read does not stay in the page cache. */
export function readPiece(
  disk: Disk,
  directory: string,
  { paths, position, memory }: Request<"read-piece">,
): FilePiece {
  const file = openFirst(disk, directory, paths);
  try {
    const target = Buffer.from(memory);
    let filled = 0;
    while (filled < target.length) {
      const count = disk.readSync(file.fd, target, filled, target.length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    disk.dontNeed(file.fd, position, filled);
    return { bytes: filled, fileBytes: file.bytes };
  } finally {
    file.close();
  }
}

/** Writes and syncs: so little waits in memory that nothing else on the disk waits long for it. */
export function writePiece(
  disk: Disk,
  directory: string,
  { path, position, memory, bytes }: Request<"write-piece">,
): undefined {
  if (position === 0) disk.mkdirSync(join(directory, MOVING_DIRECTORY), { recursive: true });
  const fd = disk.openSync(join(directory, path), position === 0 ? "w" : "r+", FILE_MODE);
  try {
    writeAll(disk, fd, Buffer.from(memory, 0, bytes), position);
    disk.fdatasyncSync(fd);
    // A check that follows is to read the disk.
    disk.dontNeed(fd, 0, TO_THE_END);
  } finally {
    disk.closeSync(fd);
  }
  if (position !== 0) return undefined;
  syncDirectory(disk, join(directory, MOVING_DIRECTORY));
  syncDirectory(disk, directory);
  return undefined;
}

/** Unlike a segment that was written here, the copy is the only one soon: each name on the way to it is made durable. */
export function placeCopy(disk: Disk, directory: string, { from, to }: Request<"place-copy">): undefined {
  disk.mkdirSync(join(directory, dirname(to)), { recursive: true });
  try {
    disk.renameSync(join(directory, from), join(directory, to));
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
    disk.statSync(join(directory, to)); // throws where it is not in its place either
  }
  for (let path = dirname(to); path !== "."; path = dirname(path)) syncDirectory(disk, join(directory, path));
  syncIfThere(disk, join(directory, dirname(from)));
  return undefined;
}

/** The directory of a copy that was placed before may be gone. */
function syncIfThere(disk: Disk, path: string): void {
  try {
    syncDirectory(disk, path);
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
  }
}

/** Names of segment files in `moving/`; none where nothing was ever moved to the volume. */
export function listCopies(disk: Disk, directory: string): readonly string[] {
  try {
    return listDay(disk, directory, MOVING_DIRECTORY).names;
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
    return [];
  }
}
