import { setImmediate } from "node:timers/promises";
import {
  type ArchiveAccess,
  fragmentOrigin,
  isKeyFramesFragment,
  type RecordedChange,
  type RecordedDay,
  spansWithout,
} from "../../archive/index.js";
import {
  type Clock,
  type Guid,
  type Interval,
  STREAM_TYPES,
  type StreamKey,
  US_PER_DAY,
  US_PER_HOUR,
  US_PER_MINUTE,
  union,
} from "../../base/index.js";
import { runsOf } from "./recorded-runs.js";
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

/** What is recorded of a channel within a time, or a day of it. Each in order, without overlaps. */
export interface Recorded extends RecordedDay {
  /** What of the runs lies off the box alone. */
  readonly away: readonly Interval[];
}

export interface RecordedDaysOptions {
  readonly archive: Pick<
    ArchiveAccess,
    | "fragments"
    | "hasSoundAt"
    | "keyFramesOnly"
    | "awayOnly"
    | "keptDay"
    | "keepDay"
    | "indexFault"
    | "onChange"
  >;
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
  /** Of each channel the hours of the present day that are over, and when they were. */
  readonly #hours = new Map<Guid, Recorded & Interval>();
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
    const soundUs = Math.max(US_PER_MINUTE / 60, (toUs - fromUs) / SOUND_LOOKS);
    if (toUs - fromUs <= SHORT_US) return [this.#readChannel(channelId, within, soundUs)];
    const closedUs = Math.floor((clock.nowUs() - CLOSED_AFTER_US) / US_PER_HOUR) * US_PER_HOUR;
    const found: Recorded[] = [];
    for (let day = dayOf(fromUs); day * US_PER_DAY < toUs; day++) {
      if ((day + 1) * US_PER_DAY > closedUs) found.push(...this.#openDay(channelId, day, closedUs));
      else found.push(this.#days.get(channelId)?.get(day) ?? (await this.#day(channelId, day)));
    }
    this.#forgetOldest();
    return found;
  }

  /** Of a day that is not over, the hours that are over are kept too. */
  #openDay(channelId: Guid, day: number, closedUs: number): Recorded[] {
    const time = { fromUs: day * US_PER_DAY, toUs: (day + 1) * US_PER_DAY };
    const read = (part: Interval): Recorded => this.#readChannel(channelId, part, SOUND_US_MAX);
    if (closedUs <= time.fromUs) return [read(time)];
    let kept = this.#hours.get(channelId);
    if (kept?.toUs !== closedUs) {
      const over = { fromUs: time.fromUs, toUs: closedUs };
      kept = { ...read(over), ...over };
      this.#hours.set(channelId, kept);
    }
    return [kept, read({ fromUs: closedUs, toUs: time.toUs })];
  }

  async #day(channelId: Guid, day: number): Promise<Recorded> {
    const time = { fromUs: day * US_PER_DAY, toUs: (day + 1) * US_PER_DAY };
    const streams = streamsOf(channelId).map((key) => this.#closedDay(key, day, time));
    const found = { ...joined(streams), away: this.#away(channelId, time) };
    const days = this.#days.get(channelId) ?? new Map<number, Recorded>();
    days.set(day, found);
    // The channel that was asked for last is the last.
    this.#days.delete(channelId);
    this.#days.set(channelId, days);
    this.#count += sizeOf(found);
    // Reading a day of motion takes milliseconds: frames and other requests get their turn.
    if (streams.some(({ isKept }) => !isKept)) await setImmediate();
    return found;
  }

  /** The index keeps what was once read of a day. */
  #closedDay(key: StreamKey, day: number, time: Interval): RecordedDay & { readonly isKept: boolean } {
    const { archive } = this.#options;
    const kept = archive.keptDay(key, day);
    if (kept !== undefined) return { ...kept, isKept: true };
    const read = this.#read(key, time, SOUND_US_MAX);
    if (read.runs.length > 0 && archive.indexFault() === undefined) archive.keepDay(key, day, read);
    return { ...read, isKept: read.runs.length === 0 };
  }

  #readChannel(channelId: Guid, within: Interval, soundUs: number): Recorded {
    const streams = streamsOf(channelId).map((key) => this.#read(key, within, soundUs));
    return { ...joined(streams), away: this.#away(channelId, within) };
  }

  #read(key: StreamKey, within: Interval, soundUs: number): RecordedDay {
    const { archive } = this.#options;
    const { fromUs, toUs } = within;
    const fragments = archive.fragments(key, fromUs, toUs);
    const runs = runsOf(fragments, within);
    const hasKeyFrames = fragments.some(({ id }) => isKeyFramesFragment(id));
    const ofCamera = fragments.filter(({ id }) => fragmentOrigin(id) === "camera");
    return {
      runs,
      sound: soundTimes(archive, key, runs, soundUs),
      keyFrames: hasKeyFrames ? archive.keyFramesOnly(key, fromUs, toUs) : [],
      fromCamera: runsOf(ofCamera, within),
    };
  }

  #away(channelId: Guid, { fromUs, toUs }: Interval): readonly Interval[] {
    return this.#options.archive.awayOnly({ channelId, streamTypes: STREAM_TYPES }, fromUs, toUs);
  }

  /** A day that is over is read again when something of it has changed. */
  #forget(change: RecordedChange | undefined): void {
    if (change === undefined) {
      this.#days.clear();
      this.#hours.clear();
      this.#count = 0;
      return;
    }
    const hours = this.#hours.get(change.key.channelId);
    if (hours !== undefined && change.fromUs < hours.toUs && change.toUs > hours.fromUs)
      this.#hours.delete(change.key.channelId);
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

function streamsOf(channelId: Guid): StreamKey[] {
  return STREAM_TYPES.map((streamType) => ({ channelId, streamType }));
}

/** What is recorded of streams as one, the preferred stream first: mostly it is one alone. */
function joined(streams: readonly RecordedDay[]): RecordedDay {
  const recorded = streams.filter(({ runs }) => runs.length > 0);
  const [only] = recorded;
  if (only !== undefined && recorded.length === 1) {
    const { runs, sound, keyFrames, fromCamera } = only;
    return { runs, sound, keyFrames, fromCamera };
  }
  const whole = union(recorded.flatMap(({ runs, keyFrames }) => spansWithout(runs, keyFrames)));
  const keyFrames = union(recorded.flatMap((stream) => stream.keyFrames));
  return {
    runs: union(recorded.flatMap(({ runs }) => runs)),
    sound: union(recorded.flatMap((stream) => stream.sound)),
    keyFrames: spansWithout(keyFrames, whole),
    fromCamera: fromCameraOf(recorded),
  };
}

/** What several streams have is played from the first of them. */
function fromCameraOf(streams: readonly RecordedDay[]): Interval[] {
  const found: Interval[] = [];
  let before: Interval[] = [];
  for (const { runs, fromCamera } of streams) {
    found.push(...spansWithout(fromCamera, before));
    before = union([...before, ...runs]);
  }
  return union(found);
}

function sizeOf({ runs, sound, keyFrames, fromCamera, away }: Recorded): number {
  const size = runs.length + sound.length + keyFrames.length + fromCamera.length + away.length;
  return DAY_INTERVALS_MIN + size;
}

function dayOf(timeUs: number): number {
  return Math.floor(timeUs / US_PER_DAY);
}
