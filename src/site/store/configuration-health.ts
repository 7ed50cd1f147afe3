import { statfs } from "node:fs/promises";
import { builtScript, type Clock } from "../../base/index.js";
import {
  clearedPlaces,
  isAsClosed,
  WALK_ROOM_BYTES,
  WALK_STATUS,
  walkInChild,
} from "../../kept/lmdb/index.js";
import { ConfigurationDatabase } from "./configuration-database.js";

/** The expected result of opening a configuration database. */
export type ConfigurationHealth =
  | { readonly kind: "absent" }
  | { readonly kind: "whole" }
  | { readonly kind: "newer" }
  /** Must not be opened: it crashes the process, or does not contain a configuration. */
  | { readonly kind: "damaged"; readonly reason: string }
  /** The disk is full, or the file belongs to another user; the contents may be intact. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** Timeout of a walk; the database has a few megabytes at most. */
const WALK_TIMEOUT_MS = 30_000;

/** Opens and reads the database in a child process, unless it is as it was closed. Rejects if the directory cannot be read. */
export async function examineConfiguration(directory: string, clock: Clock): Promise<ConfigurationHealth> {
  const odd = clearedPlaces(directory);
  if (odd !== undefined) return { kind: "damaged", reason: odd };
  if (!(await ConfigurationDatabase.exists(directory))) return { kind: "absent" };
  if (await isAsClosed(directory)) return { kind: "whole" };
  const walkScript = builtScript(import.meta.url, "configuration-walk");
  const end = await walkInChild({ walkScript, directory, timeoutMs: WALK_TIMEOUT_MS, clock });
  const { reason } = end;
  switch (end.isStarted ? end.status : WALK_STATUS.unavailable) {
    case WALK_STATUS.good:
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
