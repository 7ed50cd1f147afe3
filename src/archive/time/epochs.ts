import { mkdirSync } from "node:fs";
import * as v from "valibot";
import {
  type Clock,
  type ClockTimer,
  type Guid,
  type Log,
  type StreamKey,
  streamKeyText,
} from "../../base/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import { REDATE_US_MIN } from "./boot-times.js";
import type { FrameDating } from "./frame-dating.js";

const SAVE_INTERVAL_MS = 30_000;
/** Recordings extend at most this far beyond the newest saved end. */
const UNSAVED_US_MAX = 35_000_000;
/** A clock behind where it should be by no more than this was corrected, not set back: streams are slewed over it. */
const SET_BACK_US_MIN = 10_000_000;
/** Most streams whose end is remembered; 64 cameras of four streams, many times over. */
const STREAMS_MAX = 16_384;
/** How fast segment ids go on, in time, that are ahead of the wall clock. */
const ID_RATE_AHEAD = 0.99;

/** Each member by itself: what is damaged of it counts as 0, which the index and the segments correct. */
const whole = v.fallback(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0);
const time = v.fallback(v.optional(v.number()), undefined);
const fileSchema = v.object({
  ...{ epoch: whole, newestUs: whole, segmentId: whole, bootEpoch: whole },
  bootId: v.fallback(v.optional(v.string()), undefined),
  ...{ wallUs: time, monotonicUs: time },
});
type Kept = v.InferOutput<typeof fileSchema>;

export const EPOCHS_KIND = keptKind({
  name: "archive.json",
  says: "epoch and newest segment id",
  policy: "rebuild",
  damaged: "damaged: epoch and newest segment are taken from the index and the files in open/",
  mayLackVersion: true,
  stopsIfNewer: true,
  schema: fileSchema,
});

export interface EpochsOptions {
  readonly dataDir: string;
  readonly bootId: Guid;
  /** The stream's newest segment as the index knows it. */
  readonly newestIndexed: (key: StreamKey) => { readonly epoch: number; readonly toUs: number } | undefined;
  readonly dating: FrameDating;
  readonly clock: Clock;
  readonly log: Log;
}

interface StreamEnd {
  readonly epoch: number;
  readonly toUs: number;
}

/**
 * Keeps the archive's time going forward: gives out unique segment ids, knows each stream's newest end, and
 * opens a new epoch when the clock was set back behind it. What has to last is one small file in the data
 * directory; when it is lost, the index and the segments still hold every recording.
 */
export class Epochs {
  readonly #options: EpochsOptions;
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #newest = new Map<string, StreamEnd>();
  #epoch = 0;
  /** The epoch in which this boot of the machine began. */
  #bootEpoch = 0;
  /** Newest end in the current epoch. */
  #newestUs = 0;
  #beginsAtUs = Number.POSITIVE_INFINITY;
  #segmentId = 0;
  #segmentIdMonotonicUs = 0;
  #timer: ClockTimer | undefined;
  #savedText = "";

  constructor(options: EpochsOptions) {
    this.#options = options;
    const { dataDir: directory, log } = options;
    this.#file = new KeptFile(EPOCHS_KIND, { directory, log, content: () => this.#content() });
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** All that was recorded before this start lies before this time; infinite if the clock was set back. */
  get beginsAtUs(): number {
    return this.#beginsAtUs;
  }

  /** Reads what was kept. A clock that was set back since opens a new epoch at once. */
  start(): void {
    mkdirSync(this.#options.dataDir, { recursive: true });
    const kept = this.#file.read() ?? NOTHING;
    this.#epoch = kept.epoch;
    this.#newestUs = kept.newestUs;
    this.#segmentId = kept.segmentId;
    if (this.#segmentId > 0) this.#segmentId += UNSAVED_US_MAX;
    this.#segmentIdMonotonicUs = this.#options.clock.monotonicUs();
    this.#bootEpoch = kept.bootId === this.#options.bootId ? kept.bootEpoch : this.#epoch;
    if (this.#wasSetBack(kept)) this.#raise("the clock stands before the newest recording");
    else this.#beginsAtUs = Math.max(this.#options.clock.nowUs(), this.#newestUs);
    this.#save();
    this.#timer = this.#options.clock.setInterval(() => this.#save(), SAVE_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    this.#save();
    await this.#file.flush();
  }

  /**
   * Unique and rising: the wall clock's microsecond. Where the clock was set back, ids continue with the time that passes, so
   * that a day of them stays a day, it names the segment's directory; a little slower, so that the clock catches up.
   */
  takeSegmentId(): number {
    const { clock } = this.#options;
    const monotonicUs = clock.monotonicUs();
    const passedUs = Math.max(1, Math.floor((monotonicUs - this.#segmentIdMonotonicUs) * ID_RATE_AHEAD));
    this.#segmentId = Math.max(clock.nowUs(), this.#segmentId + passedUs);
    this.#segmentIdMonotonicUs = monotonicUs;
    return this.#segmentId;
  }

  /** The newest id that was taken or noted; 0: none. */
  get newestSegmentId(): number {
    return this.#segmentId;
  }

  /** Ids up to this one are taken. */
  noteSegmentId(segmentId: number): void {
    this.#segmentId = Math.max(this.#segmentId, segmentId);
  }

  /** The stream is recorded up to `toUs`. */
  note(key: StreamKey, toUs: number): void {
    const datedUs = this.#options.dating.dated(toUs);
    const text = streamKeyText(key);
    const known = this.#newest.get(text);
    if (known === undefined && this.#newest.size >= STREAMS_MAX) return;
    const epoch = known?.epoch ?? this.#epoch;
    this.#newest.set(text, { epoch, toUs: datedUs });
    if (epoch === this.#epoch && datedUs > this.#newestUs) this.#newestUs = datedUs;
  }

  /** Newest end of the stream in its newest epoch; 0 when nothing is known. */
  newestUs(key: StreamKey): number {
    return this.#endOf(key).toUs;
  }

  /** The epoch of a fragment that starts at `fromUs`: a new one when the stream steps back within the current one. */
  epochFrom(key: StreamKey, fromUs: number): number {
    const end = this.#endOf(key);
    const datedUs = this.#options.dating.dated(fromUs);
    if (end.epoch === this.#epoch && datedUs < end.toUs)
      this.#raise(`time of stream ${streamKeyText(key)} steps back`);
    if (this.#newest.size < STREAMS_MAX || this.#newest.has(streamKeyText(key)))
      this.#newest.set(streamKeyText(key), { epoch: this.#epoch, toUs: datedUs });
    return this.#epoch;
  }

  /** The wall clock stepped. Set back behind what is recorded, it opens a new epoch before any stream finds out. */
  clockStepped(shiftUs: number): void {
    const isBack = shiftUs < -SET_BACK_US_MIN && this.#options.clock.nowUs() < this.#newestUs;
    if (isBack) this.#raise("the clock was set back");
    this.#savedText = ""; // the next start compares the clock with what it is now
    this.#save();
  }

  /**
   * Shifts this boot's recordings by `shiftUs`. Returns the number by which their epochs must be raised: 0 for a forward shift,
   * because they stay the newest; more for a shift back, because they could then overlap older recordings.
   */
  redate(shiftUs: number): number {
    if (Math.abs(shiftUs) <= REDATE_US_MIN) return 0;
    const epochShift = shiftUs > 0 ? 0 : this.#epoch - this.#bootEpoch + 1;
    this.#epoch += epochShift;
    for (const [text, end] of this.#newest)
      this.#newest.set(text, { epoch: end.epoch + epochShift, toUs: end.toUs + shiftUs });
    this.#newestUs = Math.max(0, this.#newestUs + shiftUs);
    this.#save();
    return epochShift;
  }

  #endOf(key: StreamKey): StreamEnd {
    const noted = this.#newest.get(streamKeyText(key));
    if (noted !== undefined) return noted;
    const indexed = this.#options.newestIndexed(key);
    if (indexed === undefined) return { epoch: this.#epoch, toUs: 0 };
    this.#epoch = Math.max(this.#epoch, indexed.epoch); // archive.json was lost or is behind
    return indexed;
  }

  /**
   * Whether the clock stands before where it should be. Within one boot the monotonic clock shows it; after a reboot what was
   * recorded since the last save cannot be known, so that a quick one opens an epoch too many.
   */
  #wasSetBack(kept: Kept): boolean {
    const { clock, bootId } = this.#options;
    const nowUs = clock.nowUs();
    if (nowUs >= this.#newestUs + UNSAVED_US_MAX || this.#newestUs === 0) return false;
    if (kept.bootId !== bootId || kept.wallUs === undefined || kept.monotonicUs === undefined) return true;
    const expectedUs = kept.wallUs + clock.monotonicUs() - kept.monotonicUs;
    return nowUs < expectedUs - SET_BACK_US_MIN;
  }

  #raise(reason: string): void {
    const nowUs = this.#options.clock.nowUs();
    const backSeconds = Math.round((this.#newestUs - nowUs) / 1_000_000);
    this.#epoch += 1;
    this.#newestUs = 0;
    this.#options.log.warn({ backSeconds, epoch: this.#epoch }, reason);
    this.#save();
  }

  /** Saves in the background: the system disk may be full or slow, recording continues. */
  #save(): void {
    const text = JSON.stringify(this.#state);
    if (text === this.#savedText && !this.#file.isFailing) return;
    this.#savedText = text;
    this.#file.changed();
  }

  get #state(): Omit<Kept, "wallUs" | "monotonicUs"> {
    const { bootId } = this.#options;
    const [epoch, newestUs, segmentId, bootEpoch] = [
      this.#epoch,
      this.#newestUs,
      this.#segmentId,
      this.#bootEpoch,
    ];
    return { epoch, newestUs, segmentId, bootId, bootEpoch };
  }

  #content(): Kept {
    const { clock } = this.#options;
    return { ...this.#state, wallUs: clock.nowUs(), monotonicUs: clock.monotonicUs() };
  }
}

const NOTHING: Kept = { epoch: 0, newestUs: 0, segmentId: 0, bootEpoch: 0 };

/** A time before which all recordings end, from the data directory; 0 if unknown. */
export function newestRecordedUs(dataDir: string, log: Log): number {
  const newestUs = new KeptFile(EPOCHS_KIND, { directory: dataDir, log }).read()?.newestUs ?? 0;
  return newestUs === 0 ? 0 : newestUs + UNSAVED_US_MAX;
}
