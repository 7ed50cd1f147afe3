import * as fs from "node:fs";
import { openFileOrFolderSync } from "../../base/index.js";
import type { NativeDisk } from "./native-disk.js";

const FILE_MODE = 0o640;

/**
 * The disk as a volume's threads call it: Node's synchronous calls and the addon's. Injected, so that a test can return ENOSPC or
 * EIO.
 */
export type Disk = Pick<
  typeof fs,
  | "openSync"
  | "closeSync"
  | "writevSync"
  | "writeSync"
  | "readSync"
  | "fdatasyncSync"
  | "fsyncSync"
  | "ftruncateSync"
  | "fstatSync"
  | "readFileSync"
  | "readdirSync"
  | "mkdirSync"
  | "renameSync"
  | "rmdirSync"
  | "unlinkSync"
  | "statSync"
  | "statfsSync"
> &
  NativeDisk;

export function realDisk(native: NativeDisk): Disk {
  const openSync: Disk["openSync"] = (path, flags, mode) =>
    openFileOrFolderSync(path, flagsOf(flags), Number(mode ?? FILE_MODE));
  // Somebody may have put a FIFO in a file's place: the volume's thread would wait for it for ever.
  const readFileSync = ((path: fs.PathLike, encoding: BufferEncoding) => {
    const descriptor = openSync(path, "r");
    try {
      return fs.readFileSync(descriptor, encoding);
    } finally {
      fs.closeSync(descriptor);
    }
  }) as Disk["readFileSync"];
  return { ...fs, openSync, readFileSync, ...native };
}

/** Node's words for how a file is opened. */
function flagsOf(flags: fs.OpenMode): number {
  const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_TRUNC, O_EXCL } = fs.constants;
  if (typeof flags === "number") return flags;
  if (flags === "r") return O_RDONLY;
  if (flags === "r+") return O_RDWR;
  if (flags === "w") return O_WRONLY | O_CREAT | O_TRUNC;
  if (flags === "wx+") return O_RDWR | O_CREAT | O_EXCL;
  throw new TypeError(`a file is not opened for ${flags}`);
}

/** The errno name of a failed call; `UNKNOWN` for anything else thrown. */
export function errorCodeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "UNKNOWN";
}

/** Makes the entries of a directory durable. */
export function syncDirectory(disk: Disk, path: string): void {
  const fd = disk.openSync(path, "r");
  try {
    disk.fsyncSync(fd);
  } finally {
    disk.closeSync(fd);
  }
}

/** Writes `bytes` at `position` to the last byte. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, position: number): void {
  let done = 0;
  while (done < bytes.length) done += disk.writeSync(fd, bytes, done, bytes.length - done, position + done);
}
