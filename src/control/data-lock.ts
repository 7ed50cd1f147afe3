import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import { errorText, NvrdError } from "../base/index.js";

/**
 * The lock of a data directory: flock(2) on its file `lock`, held as long as the process lives.
 *
 * Node has no flock, so the command flock (util-linux, in every Debian) is given our open file and locks it: the
 * lock belongs to the open file, which we keep, not to the process that asked for it. The kernel drops it with the
 * process, however that ends. The alternatives are weaker: a file with a pid needs a guess whether that pid still is
 * the same process, wrong between containers and racy when two start at once; a socket file stays behind after
 * SIGKILL; an abstract socket is not seen from another network namespace.
 */
export class DataLock {
  #fd: number | undefined;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /**
   * Takes the lock of `dataDir`, which is made where it is missing. Throws NvrdError ARCHIVE_LOCKED, with the
   * holder's pid, when another process has it, and NOT_AVAILABLE when the directory cannot be used.
   */
  static acquire(dataDir: string): DataLock {
    const file = path.join(dataDir, LOCK_FILE);
    const fd = openLockFile(dataDir, file);
    try {
      if (!lockDescriptor(fd, file)) throw lockedError(dataDir, file);
      writeHolder(fd);
      return new DataLock(fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Gives the lock back. The file stays: removing it would let two processes lock two files of one name. */
  release(): void {
    if (this.#fd === undefined) return;
    ftruncateSync(this.#fd);
    closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** Its name in the data directory; there once a service or a check has used the directory. */
export const LOCK_FILE = "lock";
const LOCK_FILE_MODE = 0o600;
const DATA_DIRECTORY_MODE = 0o700;
const LOCK_TIMEOUT_MS = 10_000;
/** flock's exit status when somebody else has the lock (`-E`). */
const STATUS_TAKEN = 75;
/** Where the child finds our descriptor: the first after the three standard ones. */
const CHILD_DESCRIPTOR = 3;

/** Opened for appending so that its contents, the holder's pid, survive an attempt that fails. */
function openLockFile(dataDir: string, file: string): number {
  try {
    mkdirSync(dataDir, { recursive: true, mode: DATA_DIRECTORY_MODE });
    return openSync(file, "a+", LOCK_FILE_MODE);
  } catch (error) {
    throw new NvrdError(
      "NOT_AVAILABLE",
      `the data directory ${dataDir} cannot be used: ${errorText(error)}`,
      {
        cause: error,
      },
    );
  }
}

function lockDescriptor(fd: number, file: string): boolean {
  const args = ["-n", "-x", "-E", String(STATUS_TAKEN), String(CHILD_DESCRIPTOR)];
  const { status, error, stderr } = spawnSync("flock", args, {
    stdio: ["ignore", "ignore", "pipe", fd],
    timeout: LOCK_TIMEOUT_MS,
    encoding: "utf8",
  });
  if (status === 0) return true;
  if (status === STATUS_TAKEN) return false;
  const reason = error === undefined ? stderr.trim() || `status ${status}` : errorText(error);
  throw new NvrdError(
    "NOT_AVAILABLE",
    `${file} cannot be locked by the command flock (package util-linux): ${reason}`,
    {
      cause: error,
    },
  );
}

function writeHolder(fd: number): void {
  ftruncateSync(fd);
  writeSync(fd, `${process.pid}\n`);
}

function lockedError(dataDir: string, file: string): NvrdError {
  const pid = /^\d{1,10}/.exec(readFileSync(file, "latin1").slice(0, 16))?.[0];
  const holder = pid === undefined ? "another nvrd" : `another nvrd (pid ${pid})`;
  return new NvrdError("ARCHIVE_LOCKED", `${holder} uses the data directory ${dataDir}`);
}
