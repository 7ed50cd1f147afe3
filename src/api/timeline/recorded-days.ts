import { setImmediate } from "node:timers/promises";
import type { ArchiveAccess, RecordedChange } from "../../archive/index.js";
import { type Clock, type Guid, US_PER_DAY, US_PER_HOUR, US_PER_MINUTE } from "../../base/index.js";
import type { Interval } from "./intervals.js";
import { recordedRuns } from "./recorded-runs.js";
import { soundTimes } from "./sound-times.js";

/** Intervals kept in memory: some 60 bytes each. Beyond it, the days that were asked for longest ago are read again. */
const INTERVALS_KEPT_MAX = 500_000;
/** A day without any counts as some: its entry takes memory too. */
const DAY_INTERVALS_MIN = 4;
/** A segment may be open this long, so that a day is closed this long after its end. */
const CLOSED_AFTER_US = 15 * US_PER_MINUTE;
/** How far apart moments are looked at for sound; a shorter time is looked at more closely. */
const SOUND_US_MAX = US_PER_HOUR;
const SOUND_LOOKS = 64;
/** A time of which the closed days are not worth keeping. */
const SHORT_US = 6 * US_PER_HOUR;

/** What is recorded of a channel within a time, or a day of it. Both in order, without overlaps. */
export interface Recorded {
  readonly runs: readonly Interval[];
  readonly sound: readonly Interval[];
}

export interface RecordedDaysOptions {
  readonly archive: Pick<ArchiveAccess, "fragments" | "hasSoundAt" | "onChange">;
  readonly clock: Clock;
}

/**
 * What is recorded of channels. Days that are over are kept in memory, by UTC day, until something is added to them or removed
 * from them: a month of recording on motion is thousands of rows of the index.
 */
export class RecordedDays {
  readonly #options: RecordedDaysOptions;
  /** By channel, then day. */
  readonly #days = new Map<Guid, Map<number, Recorded>>();
  #count = 0;
  #isListening = false;

  constructor(options: RecordedDaysOptions) {
    this.#options = options;
  }

  /** The days that overlap a time, in order, not cut to it. */
  async of(channelId: Guid, within: Interval): Promise<readonly Recorded[]> {
    const { archive, clock } = this.#options;
    if (!this.#isListening) archive.onChange((change) => this.#forget(change));
    this.#isListening = true;
    const { fromUs, toUs } = within;
    if (toUs - fromUs <= SHORT_US) return [this.#read(channelId, within, (toUs - fromUs) / SOUND_LOOKS)];
    const openDay = dayOf(clock.nowUs() - CLOSED_AFTER_US);
    const found: Recorded[] = [];
    for (let day = dayOf(fromUs); day * US_PER_DAY < toUs; day++) {
      found.push(this.#days.get(channelId)?.get(day) ?? (await this.#day(channelId, day, day < openDay)));
    }
    this.#forgetOldest();
    return found;
  }

  async #day(channelId: Guid, day: number, isClosed: boolean): Promise<Recorded> {
    const time = { fromUs: day * US_PER_DAY, toUs: (day + 1) * US_PER_DAY };
    if (!isClosed) return this.#read(channelId, time, SOUND_US_MAX);
    await setImmediate();
    const found = this.#read(channelId, time, SOUND_US_MAX);
    const days = this.#days.get(channelId) ?? new Map<number, Recorded>();
    days.set(day, found);
    // The channel that was asked for last is the last.
    this.#days.delete(channelId);
    this.#days.set(channelId, days);
    this.#count += sizeOf(found);
    return found;
  }

  #read(channelId: Guid, within: Interval, soundUs: number): Recorded {
    const { archive } = this.#options;
    const runs = recordedRuns(archive, channelId, within);
    const apartUs = Math.max(US_PER_MINUTE / 60, soundUs);
    return { runs, sound: soundTimes(archive, channelId, runs, apartUs) };
  }

  /** A day that is over is read again when something of it has changed. */
  #forget(change: RecordedChange | undefined): void {
    if (change === undefined) {
      this.#days.clear();
      this.#count = 0;
      return;
    }
    const days = this.#days.get(change.key.channelId);
    if (days === undefined) return;
    for (let day = dayOf(change.fromUs); day * US_PER_DAY < change.toUs; day++) {
      const found = days.get(day);
      if (found !== undefined) this.#count -= sizeOf(found);
      days.delete(day);
    }
  }

  #forgetOldest(): void {
    for (const [channelId, days] of this.#days) {
      if (this.#count <= INTERVALS_KEPT_MAX) return;
      for (const found of days.values()) this.#count -= sizeOf(found);
      this.#days.delete(channelId);
    }
  }
}

function sizeOf({ runs, sound }: Recorded): number {
  return DAY_INTERVALS_MIN + runs.length + sound.length;
}

function dayOf(timeUs: number): number {
  return Math.floor(timeUs / US_PER_DAY);
}
