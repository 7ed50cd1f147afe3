import type { VideoFormat } from "../../live/index.js";
import { codecString } from "../mp4/codec-string.js";
import { movieHeader, VIDEO_TIMESCALE } from "../mp4/movie-header.js";
import { parameterSetsOf, pictureSize } from "../mp4/parameter-sets.js";
import { sampleEntry } from "../mp4/sample-entry.js";
import { SOUND_DRIFT_US_MAX } from "./limits.js";
import type { SoundTrack, VideoUnit } from "./media-unit.js";

export const VIDEO_TRACK = 1;
export const SOUND_TRACK = 2;
const MICROSECONDS = 1_000_000;

export interface PeriodOptions {
  readonly index: number;
  /** The key frame it begins with. */
  readonly first: VideoUnit;
  /** Position on the playlist's timeline, microseconds. */
  readonly mediaStartUs: number;
  /** Stream time per second of the playlist's timeline. */
  readonly speed: number;
}

/** A run of pictures and sound in one format without a gap, which share one init segment. */
export class Period {
  readonly index: number;
  readonly format: VideoFormat;
  readonly speed: number;
  readonly width: number;
  readonly height: number;
  readonly #startUs: number;
  readonly #mediaStartUs: number;
  readonly #videoEntry: Buffer;
  readonly #videoCodec: string | undefined;
  #sound: SoundTrack | undefined;
  #init: Buffer | undefined;

  /** Throws NvrdError NOT_SUPPORTED if the decoder configuration is unknown. */
  constructor({ index, first, mediaStartUs, speed }: PeriodOptions) {
    this.index = index;
    this.format = first.format;
    this.speed = speed;
    this.#startUs = first.decodeTimeUs;
    this.#mediaStartUs = mediaStartUs;
    this.#videoEntry = sampleEntry(first.format, first.bytes);
    this.#videoCodec = codecString(first.format, first.bytes);
    const { codec, initialization } = first.format;
    const sets = parameterSetsOf(codec, initialization) ?? parameterSetsOf(codec, first.bytes);
    const size = sets === undefined ? first.format : pictureSize(first.format, sets);
    this.width = size.width;
    this.height = size.height;
  }

  get sound(): SoundTrack | undefined {
    return this.#sound;
  }

  /** Sets the sound track, before `init` is read. */
  set sound(track: SoundTrack | undefined) {
    this.#sound = track;
  }

  /** The tracks' codecs (RFC 6381). */
  get codecs(): string {
    const sound = this.#sound === undefined ? undefined : codecString(this.#sound.format);
    return [this.#videoCodec, sound].filter((codec) => codec !== undefined).join(",");
  }

  /** The init segment. */
  get init(): Buffer {
    this.#init ??= this.#makeInit();
    return this.#init;
  }

  /** Converts stream time to the playlist's timeline, microseconds. */
  mediaUs(timeUs: number): number {
    return this.#mediaStartUs + (timeUs - this.#startUs) / this.speed;
  }

  videoTicks(timeUs: number): number {
    return Math.round((this.mediaUs(timeUs) * VIDEO_TIMESCALE) / MICROSECONDS);
  }

  #makeInit(): Buffer {
    const { width, height } = this;
    const entries = [this.#videoEntry];
    const video = {
      id: VIDEO_TRACK,
      kind: "video",
      timescale: VIDEO_TIMESCALE,
      entries,
      width,
      height,
    } as const;
    const sound = this.#sound;
    if (sound === undefined) return movieHeader({ tracks: [video] });
    const soundEntries = [sampleEntry(sound.format)];
    const track = { id: SOUND_TRACK, kind: "audio", timescale: sound.rate, entries: soundEntries } as const;
    return movieHeader({ tracks: [video, track] });
  }
}

/**
 * Places units of sound in their track. They are contiguous, since each gap is audible, until the camera's sound has
 * drifted too far from its pictures.
 */
export class SoundClock {
  readonly #track: SoundTrack;
  #nextTicks: number | undefined;

  constructor(track: SoundTrack) {
    this.#track = track;
  }

  /** The start of a unit in ticks; undefined if it must be dropped because there is sound already at its time. */
  place(mediaUs: number): number | undefined {
    const { rate, unitSamples } = this.#track;
    const ownTicks = Math.round((mediaUs * rate) / MICROSECONDS);
    const expected = this.#nextTicks;
    const drift = expected === undefined ? 0 : ownTicks - expected;
    const driftMax = Math.max(unitSamples, (SOUND_DRIFT_US_MAX * rate) / MICROSECONDS);
    if (ownTicks < 0 || drift < -driftMax) return undefined;
    const ticks = expected === undefined || drift > driftMax ? ownTicks : expected;
    this.#nextTicks = ticks + unitSamples;
    return ticks;
  }
}
