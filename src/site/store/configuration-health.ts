import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { builtScript, errorText } from "../../base/index.js";
import { ConfigurationDatabase } from "./configuration-database.js";

/** What opening a configuration database will meet. */
export type ConfigurationHealth =
  | { readonly kind: "absent" }
  | { readonly kind: "whole" }
  | { readonly kind: "newer" }
  /** Not to be opened: it kills the process, or does not hold a configuration. */
  | { readonly kind: "damaged"; readonly reason: string }
  /** The disk is full, or the file belongs to somebody else: says nothing about the contents. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** The longest a walk may take; the database is a few megabytes at the most. */
const WALK_TIMEOUT_MS = 30_000;
const WALK_OUTPUT_BYTES_MAX = 64 * 1024;
/** LMDB's lock file and a few pages. */
const WALK_ROOM_BYTES = 1024 * 1024;
const REASON_LENGTH_MAX = 300;

/** Exit statuses of configuration-walk.ts; anything else, a signal included, means damaged. */
export const WALK_STATUS = { whole: 0, absent: 10, damaged: 11, newer: 12, unavailable: 13 } as const;

/** Opens and walks the database in a child process first. Rejects when the directory cannot be looked at. */
export async function examineConfiguration(directory: string): Promise<ConfigurationHealth> {
  if (!(await ConfigurationDatabase.exists(directory))) return { kind: "absent" };
  const { status, signal, errors } = await runWalk(directory);
  const reason = `${status === undefined ? `signal ${signal}` : `status ${status}`} ${errors}`.slice(
    0,
    REASON_LENGTH_MAX,
  );
  switch (status) {
    case WALK_STATUS.whole:
      return { kind: "whole" };
    case WALK_STATUS.absent:
      return { kind: "absent" };
    case WALK_STATUS.newer:
      return { kind: "newer" };
    case WALK_STATUS.unavailable:
      return { kind: "unavailable", reason };
    default:
      // A full disk makes LMDB fail in ways that look like damage.
      return { kind: (await isFull(directory)) ? "unavailable" : "damaged", reason };
  }
}

async function isFull(directory: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize < WALK_ROOM_BYTES;
}

interface WalkEnd {
  readonly status: number | undefined;
  readonly signal: string | undefined;
  readonly errors: string;
}

/** execFile's code for a child that was killed because it wrote too much. */
const OUTPUT_TOO_LONG = "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";

function runWalk(directory: string): Promise<WalkEnd> {
  const limits = {
    timeout: WALK_TIMEOUT_MS,
    killSignal: "SIGKILL",
    maxBuffer: WALK_OUTPUT_BYTES_MAX,
  } as const;
  const script = builtScript(import.meta.url, "configuration-walk");
  return new Promise((resolve) => {
    execFile(process.execPath, [script, directory], limits, (error, _output, errors) => {
      const started = error === null || typeof error.code !== "string" || error.code === OUTPUT_TOO_LONG;
      const status =
        error === null ? WALK_STATUS.whole : started ? numberOf(error.code) : WALK_STATUS.unavailable;
      resolve({ status, signal: error?.signal ?? undefined, errors: errors.trim() || errorOf(error) });
    });
  });
}

function numberOf(code: unknown): number | undefined {
  return typeof code === "number" ? code : undefined;
}

function errorOf(error: Error | null): string {
  return error === null ? "" : errorText(error);
}
