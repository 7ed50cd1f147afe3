import { mkdtempSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import {
  type ArchiveNotice,
  type ChannelDays,
  Retention,
  RetentionClock,
  type RetentionIndex,
  type RetentionOptions,
  type RetentionVolume,
  type VolumeQuota,
} from "../../../src/archive/index.js";
import { type Clock, SystemClock } from "../../../src/base/index.js";
import { SILENT_LOG } from "./index-harness.js";

export const NO_DAYS: ChannelDays = { minDays: 0, maxDays: 0 };

export interface RetentionShape {
  readonly index: RetentionIndex;
  readonly volumes: readonly RetentionVolume[];
  /** For the day clock's file. */
  readonly directory: string;
  readonly quota?: VolumeQuota;
  readonly quotaOf?: (volume: RetentionVolume) => VolumeQuota;
  readonly clock?: Clock;
  readonly clockKnown?: () => boolean;
  readonly options?: Partial<RetentionOptions>;
}

/** Retention over a real index; what it says to people is in `notices`. */
export function makeRetention(shape: RetentionShape): {
  readonly retention: Retention;
  readonly days: RetentionClock;
  readonly notices: ArchiveNotice[];
} {
  const clock = shape.clock ?? new SystemClock();
  const notices: ArchiveNotice[] = [];
  const days = new RetentionClock({
    dataDir: mkdtempSync(path.join(shape.directory, "days-")),
    clock,
    clockKnown: shape.clockKnown ?? (() => true),
    newestUs: () => undefined,
    log: SILENT_LOG,
  });
  // It saves in the background, which must be over before the directory goes.
  onTestFinished(() => days.stop());
  const retention = new Retention({
    index: shape.index,
    volumes: () => shape.volumes,
    useOf: (volume, space) => ({
      quota: shape.quotaOf?.(volume) ?? shape.quota ?? {},
      usedBytes: shape.index.volumeBytes(volume.id),
      space,
    }),
    daysOf: () => NO_DAYS,
    protectedUntil: () => undefined,
    days,
    notice: (notice) => notices.push(notice),
    clock,
    log: SILENT_LOG,
    ...shape.options,
  });
  return { retention, days, notices };
}
