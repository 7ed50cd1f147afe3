import { type AudioFormat, Codec, isAudioCodec, parseAacConfig } from "../live/index.js";
import { BOX_HEADER_BYTES, boxHeader } from "./box.js";
import {
  FRAGMENT_FIXED_BYTES,
  FRAGMENT_RUN_BYTES,
  FRAGMENT_SAMPLE_BYTES,
  fragmentHead,
  fragmentHeadBytes,
  type Sample,
} from "./fragment.js";
import { lengthPrefixed } from "./length-prefixed.js";
import { ticksOf } from "./segment-index-box.js";

/** Bytes of the header that each frame of a recording has, besides its own. */
const RECORD_HEADER_BYTES = 28;
/** What a frame may grow by when start codes of three bytes become lengths of four: its own header makes room for that. */
const FRAME_GROWTH_BYTES_MAX = RECORD_HEADER_BYTES - FRAGMENT_SAMPLE_BYTES;

/**
 * Bytes that a unit takes beyond those of the recording it is made of. A recorded frame has 28 bytes of header there, 16 in a
 * fragment; two tracks at most, and the box that fills the unit up.
 */
export const UNIT_OVERHEAD_BYTES = FRAGMENT_FIXED_BYTES + 2 * FRAGMENT_RUN_BYTES + BOX_HEADER_BYTES;

/** A frame as it was recorded. */
export interface UnitFrame {
  readonly codec: Codec;
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
  readonly key: boolean;
  readonly undecodable: boolean;
  /** The caller's own: written over. */
  readonly bytes: Uint8Array;
}

export interface UnitTrack {
  readonly id: number;
  readonly codec: Codec;
  readonly timescale: number;
  /** Place of its sample entry, from 1 on. */
  readonly description: number;
  /** Ticks of a frame of sound whose end is not known; undefined: one a byte and channel. */
  readonly frameTicks?: number;
  readonly channels?: number;
}

export interface UnitOptions {
  /** 0 for the movie's first unit: VLC takes a first fragment of number 1 for a gap. */
  readonly sequence: number;
  readonly video: UnitTrack;
  readonly audio: UnitTrack | undefined;
  /** Time of frames less time in the movie. */
  readonly originUs: number;
  /** Time of the frames' own: the first picture of the unit, and the end of its last one. */
  readonly fromUs: number;
  readonly toUs: number;
  /** Nothing joins on to it: sound before its first picture, or behind its last, belongs to another time. */
  readonly startsAnew: boolean;
  readonly endsHere: boolean;
  /** Bytes of the recording it is made of. */
  readonly bytesMax: number;
}

/**
 * One `moof` with its `mdat`, filled up with a `free` box to a length that is known before a frame was read: that of the piece
 * of the recording, and UNIT_OVERHEAD_BYTES. Frames go in twice where they are too many to be kept: once to be counted, once to be sent.
 */
export class MovieUnit {
  readonly #options: UnitOptions;
  readonly #video: Tally;
  readonly #audio: Tally | undefined;

  constructor(options: UnitOptions) {
    this.#options = options;
    this.#video = new Tally(options.video, options);
    this.#audio = options.audio === undefined ? undefined : new Tally(options.audio, options);
  }

  /** Bytes of the unit. */
  get byteLength(): number {
    return unitBytes(this.#options.bytesMax);
  }

  /** Whether a frame belongs to the unit at all. */
  takes(frame: UnitFrame): "video" | "audio" | undefined {
    const { video, audio, fromUs, toUs, startsAnew, endsHere, originUs } = this.#options;
    if (frame.undecodable) return undefined;
    const { codec, decodeTimeUs } = frame;
    if (codec === video.codec) return decodeTimeUs >= fromUs && decodeTimeUs < toUs ? "video" : undefined;
    if (codec !== audio?.codec || decodeTimeUs < originUs) return undefined;
    if ((startsAnew && decodeTimeUs < fromUs) || (endsHere && decodeTimeUs >= toUs)) return undefined;
    return "audio";
  }

  /** The frame's bytes as they stand in the file, `frame.bytes` itself where that is possible; counts them. */
  add(frame: UnitFrame): Uint8Array {
    const bytes = sampleBytes(frame);
    (isAudioCodec(frame.codec) ? this.#audio : this.#video)?.add(frame, bytes.length);
    return bytes;
  }

  /** What stands before the samples: call it when all were added. */
  head(): Buffer {
    const runs = this.#tallies().map((tally) => tally.run());
    return fragmentHead({ sequence: this.#options.sequence, runs });
  }

  /** Bytes behind the samples: the header of the `free` box and zeros. Throws RangeError when there is no room for it. */
  get fillBytes(): number {
    const tallies = this.#tallies();
    const head = fragmentHeadBytes(tallies.map(({ count }) => count));
    const bytes = tallies.reduce((left, tally) => left - tally.bytes, this.byteLength - head);
    if (bytes < BOX_HEADER_BYTES) throw new RangeError(`a unit lacks ${BOX_HEADER_BYTES - bytes} bytes`);
    return bytes;
  }

  #tallies(): Tally[] {
    return this.#audio === undefined || this.#audio.count === 0 ? [this.#video] : [this.#video, this.#audio];
  }
}

/** Bytes of a unit made of `bytesMax` bytes of recording. */
export function unitBytes(bytesMax: number): number {
  return bytesMax + UNIT_OVERHEAD_BYTES;
}

/** The header of the box that fills a unit up. */
export function fillHeader(bytes: number): Buffer {
  return boxHeader("free", bytes);
}

/** A frame's bytes in the file. */
export function sampleBytes(frame: UnitFrame): Uint8Array {
  if (frame.codec !== Codec.H264 && frame.codec !== Codec.H265) return frame.bytes;
  const { buffer, byteOffset, length } = frame.bytes;
  return lengthPrefixed(Buffer.from(buffer, byteOffset, length), FRAME_GROWTH_BYTES_MAX);
}

/** Ticks that an access unit of sound lasts; undefined for G.711, whose length says it. */
export function soundFrameTicks(format: AudioFormat): number | undefined {
  if (format.codec !== Codec.AAC) return undefined;
  return parseAacConfig(format.initialization)?.frameSamples ?? 1024;
}

/** The samples of one track so far. */
class Tally {
  readonly #track: UnitTrack;
  readonly #options: UnitOptions;
  readonly #times: number[] = [];
  readonly #offsets: number[] = [];
  readonly #sizes: number[] = [];
  readonly #keys: boolean[] = [];
  bytes = 0;

  constructor(track: UnitTrack, options: UnitOptions) {
    this.#track = track;
    this.#options = options;
  }

  get count(): number {
    return this.#sizes.length;
  }

  add(frame: UnitFrame, bytes: number): void {
    const { timescale } = this.#track;
    const timeUs = frame.decodeTimeUs - this.#options.originUs;
    const ticks = ticksOf(timeUs, timescale);
    this.#times.push(ticks);
    this.#offsets.push(ticksOf(timeUs + frame.presentationOffsetUs, timescale) - ticks);
    this.#sizes.push(bytes);
    this.#keys.push(frame.key || isAudioCodec(frame.codec));
    this.bytes += bytes;
  }

  run(): { trackId: number; decodeTicks: number; description: number; samples: Sample[] } {
    const { id, description } = this.#track;
    const samples = this.#sizes.map((bytes, at) => ({
      bytes,
      durationTicks: Math.max(0, (this.#times[at + 1] ?? this.#endTicks()) - (this.#times[at] ?? 0)),
      compositionTicks: this.#offsets[at] ?? 0,
      sync: this.#keys[at] ?? false,
    }));
    const first =
      this.#times[0] ?? ticksOf(this.#options.fromUs - this.#options.originUs, this.#track.timescale);
    return { trackId: id, decodeTicks: first, description, samples };
  }

  #endTicks(): number {
    const { codec, timescale, frameTicks, channels = 1 } = this.#track;
    const { toUs, originUs } = this.#options;
    if (!isAudioCodec(codec)) return ticksOf(toUs - originUs, timescale);
    return (this.#times.at(-1) ?? 0) + (frameTicks ?? Math.floor((this.#sizes.at(-1) ?? 0) / channels));
  }
}
