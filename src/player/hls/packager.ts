import { isSameAudioFormat, isSameVideoFormat } from "../../picture/index.js";
import { SoundPlaces } from "../mp4/fragment-tracks.js";
import {
  PART_BYTES_MAX,
  PART_SHARE_MIN,
  PART_TARGET_US_MAX,
  PART_TARGET_US_MIN,
  SEGMENT_US_MAX,
  SOUND_GONE_US,
  SOUND_START_US_MAX,
} from "./limits.js";
import type { SoundTrack, SoundUnit, VideoUnit } from "./media-unit.js";
import { type MadePart, PartBuilder } from "./part-builder.js";
import { PartCutter } from "./part-cutter.js";
import { Period } from "./period.js";

/** Receives what is packaged, in order. Must not throw. */
export interface PackageSink {
  /** The following parts need the period's init segment. Except for the first, it follows a gap or a change of format. */
  onPeriod(period: Period): void;
  onPart(part: MadePart): void;
  /** The parts since the last end form a segment. */
  onSegmentEnd(): void;
}

export interface PackagerOptions {
  readonly sink: PackageSink;
  /** Divide segments into parts, if the frame rate is high enough. */
  readonly parts: boolean;
  readonly sound: boolean;
  /** 1 for live. */
  readonly speed: number;
}

/** Duration of the last picture before a gap if there is no other to go by. */
const FRAME_US_ASSUMED = 40_000;
/** A frame may come this much later than the longest seen so far. */
const JITTER = 1.1;
const PART_TARGET_STEP_US = 50_000;

/** Turns pictures and sound into parts and segments. Uses no clock: the result depends only on the units. */
export class Packager {
  readonly #options: PackagerOptions;
  readonly #sink: PackageSink;
  #cutter: PartCutter | undefined;
  /** Pictures not placed yet: the end of the last one is unknown, or they are needed to decide PART-TARGET. */
  #waiting: VideoUnit[] = [];
  /** The newest picture, placed or not. */
  #last: VideoUnit | undefined;
  #period: Period | undefined;
  #periods = 0;
  #builder: PartBuilder | undefined;
  /** Parts that wait until it is known whether the period has sound. */
  #held: (MadePart | "end")[] | undefined;
  #soundPlaces: SoundPlaces<SoundTrack> | undefined;
  #lastSoundUs = 0;
  #soundDiffers = false;
  #mediaEndUs = 0;
  /** Start of the period on the playlist's timeline. */
  #periodMediaUs = 0;
  #frameUs = FRAME_US_ASSUMED;
  #fragments = 0;
  #inSegment = false;

  constructor(options: PackagerOptions) {
    this.#options = options;
    this.#sink = options.sink;
    if (!options.parts) this.#cutter = new PartCutter(undefined);
  }

  /** Undefined without parts, and while it is not known. */
  get partTargetUs(): number | undefined {
    return this.#cutter?.partTargetUs;
  }

  /** Of the newest pictures, on the playlist's timeline. */
  get framesPerSecond(): number {
    return (1_000_000 * this.#options.speed) / Math.max(1, this.#frameUs);
  }

  /** The next picture in decode order. Throws NvrdError NOT_SUPPORTED for a key frame that cannot be packaged. */
  video(unit: VideoUnit): void {
    const last = this.#period === undefined ? undefined : this.#last;
    if (last !== undefined && this.#isGap(last, unit)) this.endPeriod();
    else if (last !== undefined && unit.key && this.#needsPeriod(last, unit))
      this.endPeriod(unit.decodeTimeUs);
    if (this.#period === undefined) {
      if (!unit.key) return;
      this.#openPeriod(unit);
    }
    this.#last = unit;
    this.#waiting.push(unit);
    this.#placeWaiting();
  }

  /** The next unit of sound. Sound before the first picture is dropped. */
  audio(unit: SoundUnit): void {
    const period = this.#period;
    if (period === undefined || !this.#options.sound) return;
    if (this.#held !== undefined && period.sound === undefined) {
      period.sound = unit.track;
      this.#soundPlaces = new SoundPlaces(unit.track);
      this.#release();
    }
    const track = period.sound;
    this.#soundDiffers = track === undefined || !isSameAudioFormat(track.format, unit.track.format);
    if (this.#soundDiffers) return;
    this.#lastSoundUs = unit.timeUs;
    const ticks = this.#soundPlaces?.place(period.mediaUs(unit.timeUs), unit.track.unitSamples);
    if (ticks !== undefined) this.#builder?.addSound(unit, ticks);
  }

  /** Nothing came for a while: publishes what is waiting as a segment; later units continue after it. */
  flush(): void {
    const last = this.#waiting.at(-1);
    if (last === undefined) return;
    this.#decideParts();
    this.#placeAll(last.decodeTimeUs + this.#frameUs);
    this.#closePart();
    this.#closeSegment();
  }

  /**
   * A gap or the end follows: publishes what is waiting. `endUs`: decode time of the next picture, if it follows
   * directly.
   */
  endPeriod(endUs?: number): void {
    const last = this.#waiting.at(-1);
    if (last !== undefined) {
      this.#decideParts();
      this.#placeAll(endUs ?? last.decodeTimeUs + this.#frameUs);
    }
    this.#closePart();
    this.#closeSegment();
    this.#release();
    this.#period = undefined;
    this.#builder = undefined;
  }

  #isGap(last: VideoUnit, unit: VideoUnit): boolean {
    const stepUs = unit.decodeTimeUs - last.decodeTimeUs;
    return unit.discontinuity || stepUs <= 0 || stepUs / this.#options.speed > SEGMENT_US_MAX;
  }

  #needsPeriod(last: VideoUnit, unit: VideoUnit): boolean {
    const soundEnded =
      this.#period?.sound !== undefined && unit.decodeTimeUs - this.#lastSoundUs > SOUND_GONE_US;
    return soundEnded || this.#soundDiffers || !isSameVideoFormat(last.format, unit.format);
  }

  #openPeriod(first: VideoUnit): void {
    const { speed, sound } = this.#options;
    const period = new Period({ index: this.#periods, first, mediaStartUs: this.#mediaEndUs, speed });
    this.#periods += 1;
    this.#periodMediaUs = this.#mediaEndUs;
    this.#period = period;
    this.#builder = new PartBuilder(period);
    this.#soundPlaces = undefined;
    this.#soundDiffers = false;
    this.#lastSoundUs = first.decodeTimeUs;
    if (sound) this.#held = [];
    else this.#sink.onPeriod(period);
  }

  #placeWaiting(): void {
    const [first] = this.#waiting;
    const last = this.#waiting.at(-1);
    if (first === undefined || last === undefined) return;
    if (this.#cutter === undefined) {
      if (last.decodeTimeUs - first.decodeTimeUs < PART_TARGET_US_MIN * PART_SHARE_MIN) return;
      this.#decideParts();
    }
    this.#waiting.pop();
    this.#placeAll(last.decodeTimeUs, last.key);
    this.#waiting.push(last);
  }

  /** PART-TARGET is derived from the first pictures and never changes. */
  #decideParts(): void {
    if (this.#cutter !== undefined) return;
    let longestUs = this.#waiting.length === 1 ? FRAME_US_ASSUMED : 0;
    for (const [index, unit] of this.#waiting.entries()) {
      const before = this.#waiting[index - 1];
      if (before !== undefined) longestUs = Math.max(longestUs, unit.decodeTimeUs - before.decodeTimeUs);
    }
    this.#cutter = new PartCutter(partTargetFor(longestUs));
  }

  #placeAll(endUs: number, nextIsKey = false): void {
    const units = this.#waiting;
    this.#waiting = [];
    for (const [index, unit] of units.entries()) {
      const next = units[index + 1];
      this.#place(unit, { endUs: next?.decodeTimeUs ?? endUs, nextIsKey: next?.key ?? nextIsKey });
    }
  }

  #place(unit: VideoUnit, { endUs, nextIsKey }: { endUs: number; nextIsKey: boolean }): void {
    const period = this.#period;
    const cutter = this.#cutter;
    if (period === undefined || cutter === undefined) return;
    this.#frameUs = endUs - unit.decodeTimeUs;
    if ((this.#builder?.byteLength ?? 0) + unit.bytes.length > PART_BYTES_MAX) {
      this.#closePart();
      this.#closeSegment();
    }
    const startMediaUs = period.mediaUs(unit.decodeTimeUs);
    const endMediaUs = period.mediaUs(endUs);
    const cut = cutter.place({ startUs: startMediaUs, endUs: endMediaUs, nextIsKey });
    if (cut.before === "segment") {
      this.#closePart();
      this.#endSegment();
    }
    this.#builder?.addVideo(unit, endUs);
    this.#inSegment = true;
    this.#mediaEndUs = endMediaUs;
    if (cut.after !== "nothing") this.#closePart();
    if (cut.after === "segment") this.#endSegment();
    if (endMediaUs - this.#periodMediaUs >= SOUND_START_US_MAX) this.#release();
  }

  #closePart(): void {
    const builder = this.#builder;
    const period = this.#period;
    if (builder === undefined || period === undefined || builder.isEmpty) return;
    this.#builder = new PartBuilder(period);
    this.#fragments += 1;
    const part = builder.build(this.#fragments);
    if (this.#held === undefined) this.#sink.onPart(part);
    else this.#held.push(part);
  }

  #closeSegment(): void {
    this.#cutter?.endSegment();
    this.#endSegment();
  }

  #endSegment(): void {
    if (!this.#inSegment) return;
    this.#inSegment = false;
    if (this.#held === undefined) this.#sink.onSegmentEnd();
    else this.#held.push("end");
  }

  /** Publishes what was held back until it was known whether the period has sound. */
  #release(): void {
    const held = this.#held;
    if (held === undefined || this.#period === undefined) return;
    this.#held = undefined;
    this.#sink.onPeriod(this.#period);
    for (const item of held) {
      if (item === "end") this.#sink.onSegmentEnd();
      else this.#sink.onPart(item);
    }
  }
}

/**
 * PART-TARGET for pictures `frameUs` apart: long enough that some number of pictures always gives a part between 85 %
 * and 100 % of it. Undefined if the pictures are too far apart for parts.
 */
function partTargetFor(frameUs: number): number | undefined {
  const neededUs = (frameUs * JITTER) / (1 - PART_SHARE_MIN);
  const targetUs = Math.max(
    PART_TARGET_US_MIN,
    Math.ceil(neededUs / PART_TARGET_STEP_US) * PART_TARGET_STEP_US,
  );
  return targetUs <= PART_TARGET_US_MAX ? targetUs : undefined;
}
