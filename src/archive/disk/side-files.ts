/** Files of a volume beside its segments that grow at their end, one directory deep and named by their owner. */
import { dirname, join } from "node:path";
import { type Disk, errorCodeOf, writeAll } from "./disk.js";
import type { ReaderRequest, SideFile } from "./volume-messages.js";

type Request<Op extends ReaderRequest["op"]> = Extract<ReaderRequest, { op: Op }>;

/** Most files listed: 64 channels for ten years. */
const SIDE_FILES_MAX = 250_000;
const FILE_MODE = 0o640;
const DIRECTORY_MODE = 0o750;

/** The code of an error that says that a file has lost some of what was written to it. */
export const SIDE_FILE_SHORT = "SIDE_FILE_SHORT";

class ShortFileError extends RangeError {
  readonly code = SIDE_FILE_SHORT;
}

/** The files `<path>/<directory>/<name>`; none where the directory is not there. */
export function listSideFiles(
  disk: Disk,
  directory: string,
  { path }: Request<"list-side-files">,
): readonly SideFile[] {
  const files: SideFile[] = [];
  for (const folder of entriesOf(disk, join(directory, path))) {
    if (!folder.isDirectory()) continue;
    for (const entry of entriesOf(disk, join(directory, path, folder.name))) {
      if (!entry.isFile() || files.length >= SIDE_FILES_MAX) continue;
      const file = `${path}/${folder.name}/${entry.name}`;
      files.push({ path: file, bytes: disk.statSync(join(directory, file)).size });
    }
  }
  return files;
}

/**
 * Writes at a position, and cuts off what lay behind it: what a crash left half-written. The kernel writes it to the disk in its own
 * time: a sync here would have readers of recordings wait.
 */
export function appendToSideFile(
  disk: Disk,
  directory: string,
  { path, position, bytes }: Request<"append-side-file">,
): undefined {
  const target = join(directory, path);
  const fd = openOrCreate(disk, target);
  try {
    const { size } = disk.fstatSync(fd);
    if (size < position)
      throw new ShortFileError(`${path} has ${size} bytes, and not the ${position} written before`);
    if (size > position) disk.ftruncateSync(fd, position);
    writeAll(disk, fd, bytes, position);
  } finally {
    disk.closeSync(fd);
  }
  return undefined;
}

function openOrCreate(disk: Disk, target: string): number {
  try {
    return disk.openSync(target, "r+");
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
  }
  disk.mkdirSync(dirname(target), { recursive: true, mode: DIRECTORY_MODE });
  return disk.openSync(target, "w", FILE_MODE);
}

function entriesOf(disk: Disk, path: string) {
  try {
    return disk.readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
    return [];
  }
}
