import { US_PER_SECOND } from "../../base/index.js";
import { codecString } from "../mp4/codec-string.js";
import { FragmentTracks } from "../mp4/fragment-tracks.js";
import { VIDEO_TIMESCALE } from "../mp4/movie-header.js";
import { sampleEntry } from "../mp4/sample-entry.js";
import type { SoundTrack, VideoUnit } from "./media-unit.js";

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
export class Period extends FragmentTracks {
  readonly index: number;
  readonly speed: number;
  readonly #startUs: number;
  readonly #mediaStartUs: number;
  #sound: SoundTrack | undefined;
  #init: Buffer | undefined;

  /** Throws NvrdError NOT_SUPPORTED if the decoder configuration is unknown. */
  constructor({ index, first, mediaStartUs, speed }: PeriodOptions) {
    super(first.format, first.bytes);
    this.index = index;
    this.speed = speed;
    this.#startUs = first.decodeTimeUs;
    this.#mediaStartUs = mediaStartUs;
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
    return [this.codec, sound].filter((codec) => codec !== undefined).join(",");
  }

  /** The init segment. */
  get init(): Buffer {
    const sound = this.#sound;
    this.#init ??= this.initSegment(
      sound === undefined ? undefined : { entry: sampleEntry(sound.format), rate: sound.rate },
    );
    return this.#init;
  }

  /** Converts stream time to the playlist's timeline, microseconds. */
  mediaUs(timeUs: number): number {
    return this.#mediaStartUs + (timeUs - this.#startUs) / this.speed;
  }

  videoTicks(timeUs: number): number {
    return Math.round((this.mediaUs(timeUs) * VIDEO_TIMESCALE) / US_PER_SECOND);
  }
}
