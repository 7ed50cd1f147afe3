import { spawn } from "node:child_process";
import { readdir, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { setPriority } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "./clock.js";
import { errorText } from "./errors.js";
import type { Guid } from "./guid.js";
import type { Log } from "./log.js";

/** A walk may take this long, plus the time to read the file at `WALK_BYTES_PER_MS`. */
const WALK_MS_MIN = 60_000;
const WALK_BYTES_PER_MS = 5_000;
/** A walk makes a commit and LMDB its lock file: with less room both fail in ways that look like damage. */
const WALK_ROOM_BYTES = 1024 * 1024;
const WALK_TEXT_BYTES_MAX = 4096;
/**
 * Exit statuses of a walk; any other one, a signal included, means damaged. `unavailable`: the disk is full, or the file
 * belongs to somebody else, which says nothing about the contents.
 */
export const WALK_STATUS = { good: 0, damaged: 3, newer: 4, unavailable: 5 } as const;
const WALK_NICENESS = 10;
/** After this many starts of one boot in a row that ended while the database was being opened, it counts as bad. */
export const UNCLEAN_OPENS_MAX = 10;
const UNCLEAN_OPENS_FILE = "unclean-opens";
const NOTE_CHARACTERS_MAX = 64;
const REASON_CHARACTERS_MAX = 200;

export type Inspection =
  | { readonly state: "absent" | "good" | "newer" }
  | { readonly state: "bad" | "unavailable"; readonly reason: string };

export interface InspectionOptions {
  /** The LMDB environment. */
  readonly directory: string;
  /** The script of the child process: opens the environment at `argv[2]`, reads all of it, exits with a `WALK_STATUS`. */
  readonly walkScript: string;
  /** The kernel's id of this boot. */
  readonly bootId: Guid;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Looks at an LMDB environment without opening it in this process: a damaged file would end it. */
export async function inspectDatabase(options: InspectionOptions): Promise<Inspection> {
  const bytes = await fileBytes(path.join(options.directory, "data.mdb"));
  if (bytes === undefined) return { state: "absent" };
  const full = await fullDisk(options.directory);
  if (full !== undefined) return full;
  const opens = await uncleanOpens(options.directory, options.bootId);
  if (opens >= UNCLEAN_OPENS_MAX) {
    return { state: "bad", reason: `the service ended ${opens} times while opening it` };
  }
  const found = await walkInChild(options, bytes);
  // Somebody may have filled the disk meanwhile.
  return found.state === "bad" ? ((await fullDisk(options.directory)) ?? found) : found;
}

/** On a full disk nothing can be said of a database: it is left as it is until there is room. */
async function fullDisk(directory: string): Promise<Inspection | undefined> {
  const { bavail, bsize } = await statfs(directory);
  const freeBytes = bavail * bsize;
  if (freeBytes >= WALK_ROOM_BYTES) return undefined;
  return { state: "unavailable", reason: `its disk is full (${freeBytes} bytes free)` };
}

/**
 * Notes that the database is about to be opened; `noteSettled` takes the note back once it has proved well. A power cut
 * says nothing against it, so only the ends of one boot are counted.
 */
export async function noteOpening(directory: string, bootId: Guid): Promise<void> {
  const opens = await uncleanOpens(directory, bootId);
  await writeFile(path.join(directory, UNCLEAN_OPENS_FILE), `${opens + 1} ${bootId}\n`);
}

export async function noteSettled(directory: string): Promise<void> {
  await rm(path.join(directory, UNCLEAN_OPENS_FILE), { force: true });
}

/** Moves a bad database to `<directory>.bad-<time>`, which it answers; only the newest is kept. */
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

/** The path of a script beside the module at `moduleUrl`. Tests run from the sources, which a child cannot load: they get the built one. */
export function builtScript(moduleUrl: string, name: string): string {
  const here = fileURLToPath(moduleUrl);
  const directory = path.dirname(here);
  if (!here.endsWith(".ts")) return path.join(directory, `${name}.js`);
  return path.join(directory, "../../dist", path.basename(directory), `${name}.js`);
}

async function walkInChild(options: InspectionOptions, bytes: number): Promise<Inspection> {
  const child = spawn(process.execPath, [options.walkScript, options.directory], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH ?? "" },
  });
  let text = "";
  const collect = (chunk: Buffer): void => {
    if (text.length < WALK_TEXT_BYTES_MAX) text += chunk.toString("latin1");
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  let timedOut = false;
  const timer = options.clock.setTimeout(
    () => {
      timedOut = true;
      child.kill("SIGKILL");
    },
    WALK_MS_MIN + bytes / WALK_BYTES_PER_MS,
  );
  const stop = (): boolean => child.kill("SIGKILL");
  options.signal.addEventListener("abort", stop, { once: true });
  try {
    const exit = await new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => resolve({ code, signal }));
      lowerPriority(child.pid);
    });
    if (exit.code === WALK_STATUS.good) return { state: "good" };
    if (exit.code === WALK_STATUS.newer) return { state: "newer" };
    if (timedOut) return { state: "bad", reason: "reading it took too long" };
    const [line = ""] = text.split("\n");
    const reason = exit.signal ?? (line.slice(0, REASON_CHARACTERS_MAX) || `status ${exit.code}`);
    return { state: exit.code === WALK_STATUS.unavailable ? "unavailable" : "bad", reason };
  } catch (error) {
    return { state: "unavailable", reason: `it could not be walked: ${errorText(error)}` };
  } finally {
    timer.clear();
    options.signal.removeEventListener("abort", stop);
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, WALK_NICENESS);
  } catch {
    // The child has ended already, or the priority is not ours to change: it then walks at the normal one.
  }
}

async function uncleanOpens(directory: string, bootId: Guid): Promise<number> {
  try {
    const text = await readFile(path.join(directory, UNCLEAN_OPENS_FILE), "latin1");
    const [count = "", noted = ""] = text.slice(0, NOTE_CHARACTERS_MAX).trim().split(" ");
    const opens = Number.parseInt(count, 10);
    return noted === bootId && Number.isSafeInteger(opens) && opens > 0 ? opens : 0;
  } catch (error) {
    if (isMissing(error)) return 0;
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
