import { newestRecordedUs, RecorderClock } from "../../../archive/index.js";
import { type Guid, type Log, readClockStatus, SystemClock } from "../../../base/index.js";
import type { Settings } from "../../../settings/index.js";

export interface ClockServiceOptions {
  readonly settings: Pick<Settings, "dataDir" | "clockTrust">;
  readonly bootId: Guid;
  readonly log: Log;
}

/** The recorder's clock, based on the machine's. While the time is unknown, it continues after the last recording. */
export function createClock({ settings, bootId, log }: ClockServiceOptions): RecorderClock {
  const { dataDir, clockTrust: trust } = settings;
  return new RecorderClock({
    system: new SystemClock(),
    bootId,
    dataDir,
    trust,
    status: readClockStatus,
    newestUs: () => newestRecordedUs(dataDir, log),
    log,
  });
}
