import path from "node:path";
import type { RecorderClock } from "../../archive/index.js";
import type { Guid, Language, Log } from "../../base/index.js";
import { LmdbEventLog } from "../../event/index.js";
import { EVENTS_NAME, type Settings } from "../../settings/index.js";

export interface EventServiceOptions {
  readonly settings: Pick<Settings, "dataDir" | "eventDays" | "eventBytesMax">;
  /** Of the names of events. */
  readonly language: () => Language;
  readonly bootId: Guid;
  readonly clock: RecorderClock;
  readonly log: Log;
}

/** The event log in the data directory. */
export function createEventLog({
  settings,
  language,
  bootId,
  clock,
  log,
}: EventServiceOptions): LmdbEventLog {
  return new LmdbEventLog({
    directory: path.join(settings.dataDir, EVENTS_NAME),
    bootId,
    clock,
    log,
    days: settings.eventDays,
    bytesMax: settings.eventBytesMax,
    language,
    isClockKnown: () => clock.isKnown,
  });
}
