import path from "node:path";
import { EMPTY_GUID, newGuid, SystemClock } from "../../../src/base/index.js";
import {
  type EventQuery,
  type EventRecord,
  LmdbEventLog,
  type LmdbEventLogOptions,
} from "../../../src/event/index.js";
import { SILENT_LOG } from "../archive/index-harness.js";

const BOOT_ID = newGuid();
/** Events are written when a test flushes. */
const NEVER_MS = 1_000_000_000;
export const GIGABYTE = 1_000_000_000;
const DAYS_MANY = 36_500;

export function eventLog(parent: string, options: Partial<LmdbEventLogOptions> = {}): LmdbEventLog {
  return new LmdbEventLog({
    directory: path.join(parent, "events"),
    bootId: BOOT_ID,
    clock: new SystemClock(),
    log: SILENT_LOG,
    days: DAYS_MANY,
    bytesMax: GIGABYTE,
    isClockKnown: () => true,
    flushIntervalMs: NEVER_MS,
    ...options,
  });
}

/** An open event log; stop it. */
export async function openEventLog(
  parent: string,
  options: Partial<LmdbEventLogOptions> = {},
): Promise<LmdbEventLog> {
  const log = eventLog(parent, options);
  await log.start();
  await log.ready();
  return log;
}

/** All that a search answers; everything, where nothing else is asked. */
export async function found(log: LmdbEventLog, query: Partial<EventQuery> = {}): Promise<EventRecord[]> {
  const records: EventRecord[] = [];
  const whole = { fromUs: 0, toUs: Number.MAX_SAFE_INTEGER, limit: 1_000_000, fromBegin: true };
  for await (const batch of log.search({ ...whole, ...query })) records.push(...batch);
  return records;
}

export function channelOfNumber(number: number): string {
  return number === 0 ? EMPTY_GUID : `00000001-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}
