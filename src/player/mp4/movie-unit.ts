import { type AudioFormat, Codec, isAudioCodec, parseAacConfig } from "../../live/index.js";
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

/** Bytes of the record header of each frame of a recording. */
const RECORD_HEADER_BYTES = 28;
/**
 * Most bytes that a frame may grow when three-byte start codes become four-byte lengths: the record header leaves this
 * much room.
 */
const FRAME_GROWTH_BYTES_MAX = RECORD_HEADER_BYTES - FRAGMENT_SAMPLE_BYTES;

/**
 * Bytes of a unit beyond those of its recording: fragment headers for at most two tracks, and the box that fills the
 * unit up. A frame's header has 28 bytes in the recording and 16 in a fragment.
 */
export const UNIT_OVERHEAD_BYTES = FRAGMENT_FIXED_BYTES + 2 * FRAGMENT_RUN_BYTES + BOX_HEADER_BYTES;

/** A unit up to this length is one fragment, made in memory as a whole. */
export const UNIT_WHOLE_BYTES_MAX = 4 * 1024 * 1024;
/**
 * A longer one is several: each of the frames whose records begin within this many bytes of the recording. Shorter than the
 * memory, so that the picture behind a fragment's last one, which says how long that lasts, is read with it.
 */
export const UNIT_PART_BYTES = 3.5 * 1024 * 1024;

/** A recorded frame. */
export interface UnitFrame {
  readonly codec: Codec;
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
  readonly key: boolean;
  readonly undecodable: boolean;
  /** Owned by the caller; may be overwritten. */
  readonly bytes: Uint8Array;
}

export interface UnitTrack {
  readonly id: number;
  readonly codec: Codec;
  readonly timescale: number;
  /** Index of its sample entry, from 1 on. */
  readonly description: number;
  /** Duration in ticks of the last frame of sound; default: one tick per sample and channel. */
  readonly frameTicks?: number;
  readonly channels?: number;
}

export interface UnitOptions {
  /** Of its first fragment; 0 for the movie's first unit: VLC treats a first fragment with number 1 as a gap. */
  readonly sequence: number;
  readonly video: UnitTrack;
  readonly audio: UnitTrack | undefined;
  /** Time of frames minus time in the movie. */
  readonly originUs: number;
  /** In time of the frames: start of the unit's first picture, and end of its last one. */
  readonly fromUs: number;
  readonly toUs: number;
  /**
   * Whether there is a gap before or after the unit: then sound before its first or after its last picture does not
   * belong to it.
   */
  readonly followsGap: boolean;
  readonly endsHere: boolean;
  /** Bytes of the recording from which it is made. */
  readonly bytesMax: number;
}

/**
 * One `moof` with its `mdat`, filled up with a `free` box to a length that is known before any frame is read: that of
 * its piece of the recording plus UNIT_OVERHEAD_BYTES. Of a longer piece it is one fragment of several.
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

  /** The track of a frame; undefined if it does not belong to the unit. */
  trackOf(frame: UnitFrame): "video" | "audio" | undefined {
    const { video, audio, fromUs, toUs, followsGap, endsHere, originUs } = this.#options;
    if (frame.undecodable) return undefined;
    const { codec, decodeTimeUs } = frame;
    if (codec === video.codec) return decodeTimeUs >= fromUs && decodeTimeUs < toUs ? "video" : undefined;
    if (codec !== audio?.codec || decodeTimeUs < originUs) return undefined;
    if ((followsGap && decodeTimeUs < fromUs) || (endsHere && decodeTimeUs >= toUs)) return undefined;
    return "audio";
  }

  /** Counts the frame and returns its bytes for the file: `frame.bytes` itself if possible. */
  add(frame: UnitFrame): Uint8Array {
    const bytes = sampleBytes(frame);
    (isAudioCodec(frame.codec) ? this.#audio : this.#video)?.add(frame, bytes.length);
    return bytes;
  }

  /** The bytes before the samples. Call it after all were added. */
  head(): Buffer {
    const runs = this.#tallies().map((tally) => tally.run());
    return fragmentHead({ sequence: this.#options.sequence, runs });
  }

  /** Bytes after the samples: the header of the `free` box and zeros. Throws RangeError if there is no room for it. */
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

/** Length of a unit made from `bytesMax` bytes of recording. */
export function unitBytes(bytesMax: number): number {
  return bytesMax + unitFragments(bytesMax) * UNIT_OVERHEAD_BYTES;
}

/** Fragments of a unit; fewer only where a frame is longer than UNIT_PART_BYTES. */
export function unitFragments(bytesMax: number): number {
  const isWhole = bytesMax + UNIT_OVERHEAD_BYTES <= UNIT_WHOLE_BYTES_MAX;
  return isWhole ? 1 : Math.ceil(bytesMax / UNIT_PART_BYTES);
}

/** Header of the `free` box that fills a unit up. */
export function fillHeader(bytes: number): Buffer {
  return boxHeader("free", bytes);
}

/** A frame's bytes in the file. */
export function sampleBytes(frame: UnitFrame): Uint8Array {
  if (frame.codec !== Codec.H264 && frame.codec !== Codec.H265) return frame.bytes;
  const { buffer, byteOffset, length } = frame.bytes;
  return lengthPrefixed(Buffer.from(buffer, byteOffset, length), FRAME_GROWTH_BYTES_MAX);
}

/** Usual duration of a packet of Opus, in samples: 20 ms. */
const OPUS_PACKET_SAMPLES = 960;

/** Duration of an access unit of sound in ticks; undefined for G.711 and L16, where it follows from the length. */
export function soundFrameTicks(format: AudioFormat): number | undefined {
  if (format.codec === Codec.OPUS) return OPUS_PACKET_SAMPLES;
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
    const instantBytes = codec === Codec.L16 ? 2 * channels : channels;
    return (this.#times.at(-1) ?? 0) + (frameTicks ?? Math.floor((this.#sizes.at(-1) ?? 0) / instantBytes));
  }
}
