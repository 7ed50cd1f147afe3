import { US_PER_SECOND } from "../../base/index.js";
import type { VideoFormat } from "../../live/index.js";
import { codecString } from "./codec-string.js";
import { movieHeader, VIDEO_TIMESCALE } from "./movie-header.js";
import { parameterSetsOf, pictureSize } from "./parameter-sets.js";
import { sampleEntry } from "./sample-entry.js";

export const VIDEO_TRACK = 1;
export const SOUND_TRACK = 2;

/** Sound is placed without a gap until it has drifted this far from its own time. */
const SOUND_DRIFT_US_MAX = 100_000;

/** A track of sound beside the pictures. */
export interface FragmentSound {
  /** The sample entry (ISO/IEC 14496-12, 8.5.2). */
  readonly entry: Buffer;
  /** The track's timescale: samples a second. */
  readonly rate: number;
}

/** Pictures of one format in fragments: what a player must know of them and of their sound before the first fragment. */
export class FragmentTracks {
  readonly format: VideoFormat;
  /** Of the pictures (RFC 6381). */
  readonly codec: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly #entry: Buffer;

  /** `described`: the format as the sample entry has it. Throws NvrdError NOT_SUPPORTED if the decoder configuration is unknown. */
  constructor(format: VideoFormat, keyFrame: Uint8Array, described = format) {
    this.format = format;
    this.#entry = sampleEntry(described, keyFrame);
    this.codec = codecString(format, keyFrame);
    const { codec, initialization } = format;
    const sets = parameterSetsOf(codec, initialization) ?? parameterSetsOf(codec, keyFrame);
    const { width, height } = sets === undefined ? format : pictureSize(format, sets);
    this.width = width;
    this.height = height;
  }

  /** The init segment; with `sound`, the one with both tracks. */
  initSegment(sound: FragmentSound | undefined): Buffer {
    const { width, height } = this;
    const size = { width, height };
    const entries = [this.#entry];
    const video = { id: VIDEO_TRACK, kind: "video", timescale: VIDEO_TIMESCALE, entries, ...size } as const;
    if (sound === undefined) return movieHeader({ tracks: [video] });
    const { rate, entry } = sound;
    const audio = { id: SOUND_TRACK, kind: "audio", timescale: rate, entries: [entry] } as const;
    return movieHeader({ tracks: [video, audio] });
  }
}

/**
 * Places units of sound in their track, one right behind the other, since each gap is heard, until the camera's sound has drifted
 * too far from its pictures.
 */
export class SoundPlaces<Track extends { readonly rate: number }> {
  readonly track: Track;
  #nextTicks: number | undefined;
  #placed = 0;

  constructor(track: Track) {
    this.track = track;
  }

  /** How many units have been placed. */
  get placed(): number {
    return this.#placed;
  }

  /** The start of a unit in ticks of the track; undefined if there is sound at its time already. */
  place(mediaUs: number, samples: number): number | undefined {
    const { rate } = this.track;
    const ownTicks = Math.round((mediaUs * rate) / US_PER_SECOND);
    const driftTicks = this.#nextTicks === undefined ? 0 : ownTicks - this.#nextTicks;
    const driftTicksMax = Math.max(samples, (SOUND_DRIFT_US_MAX * rate) / US_PER_SECOND);
    if (ownTicks < 0 || driftTicks < -driftTicksMax) return undefined;
    const ticks = this.#nextTicks === undefined || driftTicks > driftTicksMax ? ownTicks : this.#nextTicks;
    this.#nextTicks = ticks + samples;
    this.#placed += 1;
    return ticks;
  }
}
