import { statSync } from "node:fs";
import { NvrdError } from "../base/index.js";
import { callControl, DataLock, NoServiceError } from "../host/control/index.js";

const ROOT = 0;

export interface ServiceOrOffline<T> {
  readonly dataDir: string;
  /** Runs the command under the lock of the data directory, if no service is running. */
  readonly offline: () => Promise<T>;
  /** The command for the running service. */
  readonly command: string;
  readonly arguments: unknown;
  readonly onProgress?: (line: string) => void;
  readonly readResult: (result: unknown) => T;
}

/**
 * Runs a command through the service on the data directory. If none is running, runs it offline, under the lock, so that none
 * can start.
 */
export async function throughServiceOrOffline<T>(options: ServiceOrOffline<T>): Promise<T> {
  return await asOwnerOf(options.dataDir, () => doSomehow(options));
}

async function doSomehow<T>(options: ServiceOrOffline<T>): Promise<T> {
  const { dataDir, command, onProgress, offline, readResult } = options;
  const lock = lockUnlessTaken(dataDir);
  if (lock instanceof DataLock) {
    try {
      return await offline();
    } finally {
      lock.release();
    }
  }
  const call = { dataDir, command, arguments: options.arguments };
  try {
    return readResult(await callControl(onProgress === undefined ? call : { ...call, onProgress }));
  } catch (error) {
    // The holder of the lock has no socket yet, or no longer: then the error names the holder.
    if (error instanceof NoServiceError) {
      throw new NvrdError(lock.code, `${lock.message}; ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/** The lock, or the error that names its holder. */
function lockUnlessTaken(dataDir: string): DataLock | NvrdError {
  try {
    return DataLock.acquire(dataDir);
  } catch (error) {
    if (error instanceof NvrdError && error.code === "ARCHIVE_LOCKED") return error;
    throw error;
  }
}

/**
 * If started by root, runs work as the owner of the data directory, because the service could not write files created by root.
 * Other users run it as themselves.
 */
async function asOwnerOf<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  const { seteuid, setegid } = process;
  const isRoot = process.geteuid?.() === ROOT;
  if (!isRoot || owner === undefined || owner.uid === ROOT || seteuid === undefined || setegid === undefined)
    return await work();
  // The group first, because only root may change it.
  setegid(owner.gid);
  seteuid(owner.uid);
  try {
    return await work();
  } finally {
    seteuid(ROOT);
    setegid(ROOT);
  }
}
