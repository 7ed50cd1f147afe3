import { closeSync, constants as fileConstants, ftruncateSync, mkdirSync, writeSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { getSystemErrorName } from "node:util";
import {
  clearPlaceSync,
  errorText,
  loadNativeAddon,
  NvrdError,
  openPlainSync,
  readSmallFile,
} from "../../base/index.js";

/**
 * The lock of a data directory: flock(2) on its file `lock`, held as long as the process lives.
 *
 * Node has no flock, so the native addon makes the call. The lock belongs to the open file, and the kernel releases it
 * with the process, however that ends. The alternatives are weaker: with a pid file it is uncertain whether the pid is
 * still the same process, which fails between containers and races when two start at once; a socket file remains after
 * SIGKILL; an abstract socket is not visible from another network namespace.
 */
export class DataLock {
  #fd: number | undefined;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /**
   * Takes the lock of `dataDir`, which is created if missing. Throws NvrdError ARCHIVE_LOCKED, with the holder's pid,
   * if another process has it, and NOT_AVAILABLE if the directory cannot be used or the native addon is missing.
   */
  static acquire(dataDir: string): DataLock {
    const file = path.join(dataDir, LOCK_FILE);
    const fd = openLockFile(dataDir, file);
    try {
      if (!lockDescriptor(fd, file)) throw lockedError(dataDir, file);
      writeHolder(fd, dataDir);
      return new DataLock(fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Releases the lock. The file stays: if it were removed, two processes could lock two files of the same name. */
  release(): void {
    if (this.#fd === undefined) return;
    // The pid stays in the file: writing to a disk that fails or hangs would fail or hang the end of the process.
    closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** Its name in the data directory; created by the first service or check that uses the directory. */
export const LOCK_FILE = "lock";
const LOCK_FILE_MODE = 0o600;
const DATA_DIRECTORY_MODE = 0o700;

/** Opened for appending, so that a failed attempt keeps its contents, the holder's pid. */
function openLockFile(dataDir: string, file: string): number {
  try {
    mkdirSync(dataDir, { recursive: true, mode: DATA_DIRECTORY_MODE });
    // What is no file cannot be locked by another process either.
    clearPlaceSync(file);
    const { O_RDWR, O_APPEND, O_CREAT } = fileConstants;
    return openPlainSync(file, O_RDWR | O_APPEND | O_CREAT, LOCK_FILE_MODE);
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

/** What to do about a data directory that cannot be written, by the system's error. */
function unusable(dataDir: string, cause: unknown): NvrdError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const remedy = remedyFor(typeof code === "string" ? code : "", dataDir);
  const text = `the data directory ${dataDir} cannot be used (${errorText(cause)}): ${remedy}`;
  return new NvrdError("NOT_AVAILABLE", text, { cause });
}

function remedyFor(code: string, dataDir: string): string {
  const other = "choose another with --data DIR";
  if (code === "ENOSPC" || code === "EDQUOT")
    return `its disk is full: make room (df -h and df -i show what is left), or ${other}`;
  if (code === "EACCES" || code === "EPERM") {
    const owner = process.getuid?.() ?? 0;
    return `give it to the user that runs nvrd (sudo install -d -o ${owner} -m 700 '${dataDir}'), or ${other}`;
  }
  // In a file system that is read-only, mkdir of several levels answers ENOENT.
  if (code === "EROFS" || code === "ENOENT")
    return `its file system is read-only or gone: mount it for writing, or ${other}`;
  return other;
}

/** Takes the lock for the open file; false if another process has it. */
function lockDescriptor(fd: number, file: string): boolean {
  const { functions, missing } = loadNativeAddon();
  const { lockFile } = functions;
  if (typeof lockFile !== "function") {
    const reason = missing ?? "it is of another version";
    throw new NvrdError(
      "NOT_AVAILABLE",
      `${file} cannot be locked: the native addon is missing (${reason}); build it with npm run build`,
    );
  }
  const errno: unknown = lockFile(fd);
  if (errno === 0) return true;
  if (errno === constants.errno.EWOULDBLOCK) return false;
  throw new NvrdError("NOT_AVAILABLE", `${file} cannot be locked: ${getSystemErrorName(-Number(errno))}`);
}

function writeHolder(fd: number, dataDir: string): void {
  try {
    ftruncateSync(fd);
    writeSync(fd, `${process.pid}\n`);
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

function lockedError(dataDir: string, file: string): NvrdError {
  const pid = /^\d{1,10}/.exec((readSmallFile(file) ?? "").slice(0, 16))?.[0];
  const holder = pid === undefined ? "another nvrd" : `another nvrd (pid ${pid})`;
  return new NvrdError("ARCHIVE_LOCKED", `${holder} uses the data directory ${dataDir}`);
}
