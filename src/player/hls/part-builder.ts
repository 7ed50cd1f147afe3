import { fragmentHead, type Sample, type TrackRun } from "../mp4/fragment.js";
import { SOUND_TRACK, VIDEO_TRACK } from "../mp4/fragment-tracks.js";
import { type SoundUnit, type VideoUnit, videoSample } from "./media-unit.js";
import type { Period } from "./period.js";

/** A fragment ready to be sent: one part, or one segment if there are no parts. */
export interface MadePart {
  readonly bytes: Buffer;
  /** On the playlist's timeline, microseconds. */
  readonly durationUs: number;
  /** Holds a key frame. */
  readonly independent: boolean;
  /** Presentation time of its first picture, Unix microseconds. */
  readonly timeUs: number;
  /** Decode time of its first picture, and of the first one after it, Unix microseconds. */
  readonly fromUs: number;
  readonly toUs: number;
  /** Start and end of its sound in the track; undefined without sound. */
  readonly sound: SoundSpan | undefined;
}

/** Ticks of a sound track. */
export interface SoundSpan {
  readonly fromTicks: number;
  readonly toTicks: number;
}

/** The samples of one track. */
class Run {
  readonly samples: Sample[] = [];
  readonly bytes: Uint8Array[] = [];
  decodeTicks = 0;
}

/** Collects the pictures and sound of one fragment. */
export class PartBuilder {
  readonly #period: Period;
  readonly #video = new Run();
  readonly #sound = new Run();
  #soundEndTicks = 0;
  #fromUs = 0;
  #toUs = 0;
  #timeUs = 0;
  #independent = false;
  #byteLength = 0;

  constructor(period: Period) {
    this.#period = period;
  }

  /** It has no pictures, and cannot be sent. */
  get isEmpty(): boolean {
    return this.#video.samples.length === 0;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** `endUs`: decode time of the next picture, Unix microseconds. */
  addVideo(unit: VideoUnit, endUs: number): void {
    const period = this.#period;
    const { decodeTimeUs, presentationOffsetUs, key } = unit;
    const ticks = period.videoTicks(decodeTimeUs);
    if (this.isEmpty) {
      this.#video.decodeTicks = ticks;
      this.#fromUs = decodeTimeUs;
      this.#timeUs = decodeTimeUs + presentationOffsetUs;
    }
    const sample = videoSample(unit);
    this.#video.samples.push({
      bytes: sample.length,
      durationTicks: period.videoTicks(endUs) - ticks,
      compositionTicks: period.videoTicks(decodeTimeUs + presentationOffsetUs) - ticks,
      sync: key,
    });
    this.#video.bytes.push(sample);
    this.#byteLength += sample.length;
    this.#independent ||= key;
    this.#toUs = endUs;
  }

  /** `ticks`: its start in the track, not before the end of the previous unit. */
  addSound(unit: SoundUnit, ticks: number): void {
    const { samples, bytes } = this.#sound;
    const before = samples.at(-1);
    if (before === undefined) this.#sound.decodeTicks = ticks;
    else if (ticks > this.#soundEndTicks) {
      // A gap: extend the previous unit to the start of this one.
      samples[samples.length - 1] = {
        ...before,
        durationTicks: before.durationTicks + ticks - this.#soundEndTicks,
      };
    }
    const durationTicks = unit.track.unitSamples;
    samples.push({ bytes: unit.bytes.length, durationTicks, compositionTicks: 0, sync: true });
    bytes.push(unit.bytes);
    this.#byteLength += unit.bytes.length;
    this.#soundEndTicks = ticks + durationTicks;
  }

  get #soundSpan(): SoundSpan {
    return { fromTicks: this.#sound.decodeTicks, toTicks: this.#soundEndTicks };
  }

  /** The fragment in one buffer. `sequence` rises from fragment to fragment. */
  build(sequence: number): MadePart {
    const runs: TrackRun[] = [];
    for (const [trackId, run] of [
      [VIDEO_TRACK, this.#video],
      [SOUND_TRACK, this.#sound],
    ] as const) {
      if (run.samples.length > 0) runs.push({ trackId, decodeTicks: run.decodeTicks, samples: run.samples });
    }
    const head = fragmentHead({ sequence, runs });
    return {
      bytes: Buffer.concat([head, ...this.#video.bytes, ...this.#sound.bytes]),
      durationUs: this.#period.mediaUs(this.#toUs) - this.#period.mediaUs(this.#fromUs),
      independent: this.#independent,
      timeUs: this.#timeUs,
      fromUs: this.#fromUs,
      toUs: this.#toUs,
      sound: this.#sound.samples.length === 0 ? undefined : this.#soundSpan,
    };
  }
}
