import * as fs from "node:fs";
import type { NativeDisk } from "./native-disk.js";

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
  return { ...fs, ...native };
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
