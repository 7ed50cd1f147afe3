import { readdir, rename, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";
import {
  type Clock,
  clearPlaceSync,
  type Guid,
  type Log,
  NotAFile,
  otherThanFile,
  readSmallFileLater,
  replaceSmallFile,
} from "../../base/index.js";
import { isAsClosed } from "./closed-note.js";
import { WALK_ROOM_BYTES, WALK_STATUS } from "./walk.js";
import { walkInChild } from "./walk-child.js";

/** A walk may take this long, plus the time to read the file at `WALK_BYTES_PER_MS`. */
const WALK_MS_MIN = 60_000;
const WALK_BYTES_PER_MS = 5_000;
/** After this many starts of one boot in a row that ended while the database was being opened, it counts as bad. */
const UNCLEAN_OPENS_MAX = 10;
const UNCLEAN_OPENS_FILE = "unclean-opens";
const NOTE_CHARACTERS_MAX = 64;

export type Inspection =
  | { readonly state: "absent" | "good" | "newer" }
  | { readonly state: "bad" | "unavailable"; readonly reason: string };

export interface InspectionOptions {
  /** The LMDB environment. */
  readonly directory: string;
  /** The child process's script: opens the environment at `argv[2]`, reads all of it, exits with a `WALK_STATUS`. */
  readonly walkScript: string;
  /** The kernel's id of this boot. */
  readonly bootId: Guid;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Checks an LMDB environment without opening it in this process, which a damaged file would crash. A file that is byte for byte what
 * this version closed in order is good; a child process reads any other one.
 */
export async function inspectDatabase(options: InspectionOptions): Promise<Inspection> {
  const odd = clearedPlaces(options.directory);
  if (odd !== undefined) return { state: "bad", reason: odd };
  const bytes = await fileBytes(path.join(options.directory, "data.mdb"));
  if (bytes === undefined) return { state: "absent" };
  const full = await fullDisk(options.directory);
  if (full !== undefined) return full;
  const opens = await uncleanOpens(options.directory, options.bootId);
  if (opens >= UNCLEAN_OPENS_MAX) {
    return { state: "bad", reason: `the service ended ${opens} times while opening it` };
  }
  const asClosed = await isAsClosed(options.directory);
  if (asClosed && opens === 0) return { state: "good" };
  const found = await walked(options, bytes);
  // The disk may have filled up meanwhile.
  return found.state === "bad" ? ((await fullDisk(options.directory)) ?? found) : found;
}

/**
 * Why the environment's file cannot be one; undefined: it can. What is no file in the place of its lock is moved aside: the lock says
 * nothing that lasts, and is made anew.
 */
export function clearedPlaces(directory: string): string | undefined {
  const odd = otherThanFile(path.join(directory, "data.mdb"));
  if (odd !== undefined) return `data.mdb: ${odd}`;
  clearPlaceSync(path.join(directory, "lock.mdb"));
  return undefined;
}

async function walked(options: InspectionOptions, bytes: number): Promise<Inspection> {
  const timeoutMs = WALK_MS_MIN + bytes / WALK_BYTES_PER_MS;
  const { status, isStarted, reason } = await walkInChild({ ...options, timeoutMs });
  if (status === WALK_STATUS.good) return { state: "good" };
  if (status === WALK_STATUS.newer) return { state: "newer" };
  return { state: !isStarted || status === WALK_STATUS.unavailable ? "unavailable" : "bad", reason };
}

/** A database on a full disk cannot be checked: it is left alone until there is space. */
async function fullDisk(directory: string): Promise<Inspection | undefined> {
  const { bavail, bsize } = await statfs(directory);
  const freeBytes = bavail * bsize;
  if (freeBytes >= WALK_ROOM_BYTES) return undefined;
  return { state: "unavailable", reason: `its disk is full (${freeBytes} bytes free)` };
}

/**
 * Records that the database is about to be opened; `noteSettled` removes the record once it works. A power cut is no
 * evidence against the file, so only starts of the same boot are counted.
 */
export async function noteOpening(directory: string, bootId: Guid): Promise<void> {
  const opens = await uncleanOpens(directory, bootId);
  await replaceSmallFile(path.join(directory, UNCLEAN_OPENS_FILE), `${opens + 1} ${bootId}\n`);
}

export async function noteSettled(directory: string): Promise<void> {
  await rm(path.join(directory, UNCLEAN_OPENS_FILE), { recursive: true, force: true });
}

/** Moves a bad database to `<directory>.bad-<time>`, and returns that path; only the newest is kept. */
export async function setAside(directory: string, clock: Clock, log: Log): Promise<string> {
  const parent = path.dirname(directory);
  const prefix = `${path.basename(directory)}.bad-`;
  const stale = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  for (const name of stale) await rm(path.join(parent, name), { recursive: true, force: true });
  const time = new Date(clock.nowUs() / 1000).toISOString().replaceAll(/[:.]/g, "-");
  const aside = path.join(parent, `${prefix}${time}`);
  await rename(directory, aside);
  log.warn({ directory, aside }, "the database was moved aside");
  return aside;
}

async function uncleanOpens(directory: string, bootId: Guid): Promise<number> {
  try {
    const text = await readSmallFileLater(path.join(directory, UNCLEAN_OPENS_FILE));
    const [count = "", noted = ""] = (text ?? "").slice(0, NOTE_CHARACTERS_MAX).trim().split(" ");
    const opens = Number.parseInt(count, 10);
    return noted === bootId && Number.isSafeInteger(opens) && opens > 0 ? opens : 0;
  } catch (error) {
    if (error instanceof NotAFile) return 0;
    throw error;
  }
}

async function fileBytes(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
