import type { Clock } from "../../base/index.js";
import { type Frame, isAudioCodec, type MediaFormat } from "../../live/index.js";
import { PacketBatch } from "../packetize/packetizer-batch.js";
import {
  clockRateOf,
  createPacketizer,
  type Packetizer,
  payloadTypeOf,
  rtpTimestampOf,
} from "../packetize/packetizer-for-format.js";
import type { SentFrame } from "./sender-report.js";
import { TrackFanOut } from "./track-fan-out.js";

/** Largest access unit that is sent; a larger one is dropped, and video waits for the next key frame. */
export const UNIT_BYTES_MAX = 8 * 1024 * 1024;

/** One track of a source, packetized once for all its viewers. */
export class PacketizedTrack {
  readonly format: MediaFormat;
  readonly isAudio: boolean;
  readonly payloadType: number;
  readonly clockRate: number;
  readonly #packetizer: Packetizer;
  /** The packets of the newest frame. */
  readonly batch: PacketBatch;
  /** Those of its viewers that get the newest frame with one call. */
  readonly fanOut: TrackFanOut;
  #newest: Frame | undefined;
  #newestIsWhole = false;
  #sent: SentFrame | undefined;

  constructor(options: { format: MediaFormat; payloadBytesMax: number }) {
    const { format, payloadBytesMax } = options;
    this.format = format;
    this.isAudio = isAudioCodec(format.codec);
    this.payloadType = payloadTypeOf(format);
    this.clockRate = clockRateOf(format);
    this.#packetizer = createPacketizer(format);
    this.batch = new PacketBatch({ payloadType: this.payloadType, payloadBytesMax });
    this.fanOut = new TrackFanOut(this.batch);
  }

  /**
   * The packets of `frame`; the same batch for each viewer while it is the newest frame. Undefined if it cannot be
   * sent: too large, another codec than described, or not supported by the payload format. `mediaUs`: the media time of
   * its RTP timestamp, the same for all viewers that share the track.
   */
  packetize(
    frame: Frame,
    mediaUs = frame.decodeTimeUs + frame.presentationOffsetUs,
  ): PacketBatch | undefined {
    if (frame !== this.#newest) {
      this.#newest = frame;
      this.#newestIsWhole = this.#fill(frame, mediaUs);
    }
    return this.#newestIsWhole ? this.batch : undefined;
  }

  /** The times of the newest frame, live: the same for each viewer. `clock` is asked with the first one. */
  liveTimes(frame: Frame, clock: Clock): SentFrame {
    if (this.#sent === undefined || frame !== this.#newest) {
      const timeUs = frame.decodeTimeUs + frame.presentationOffsetUs;
      this.#sent = { mediaUs: timeUs, wallUs: timeUs, monotonicUs: clock.monotonicUs(), continues: true };
    }
    return this.#sent;
  }

  #fill(frame: Frame, mediaUs: number): boolean {
    this.fanOut.flush();
    this.#sent = undefined;
    this.batch.clear();
    if (frame.format.codec !== this.format.codec || frame.byteLength > UNIT_BYTES_MAX) return false;
    const timestamp = rtpTimestampOf(mediaUs, this.clockRate);
    return this.#packetizer.packetize(oneRange(frame), timestamp, this.batch);
  }
}

/**
 * The frame's bytes, contiguous: its own memory if it has one range, else a copy (prepended parameter sets, end of a
 * slab).
 */
function oneRange(frame: Frame): Buffer {
  const [range] = frame.ranges;
  if (range === undefined || frame.ranges.length !== 1) return frame.copyBytes();
  return Buffer.from(range.bytes.buffer, range.bytes.byteOffset, range.bytes.length);
}

/** The tracks of one source, in the order of the SDP. Kept while the formats do not change. */
export class PacketizedTracks {
  readonly #payloadBytesMax: number;
  #tracks: readonly PacketizedTrack[] = [];

  constructor(payloadBytesMax: number) {
    this.#payloadBytesMax = payloadBytesMax;
  }

  /** Tracks for `formats`; a track whose format is unchanged stays the same object, so that viewers share it. */
  forFormats(formats: readonly MediaFormat[]): readonly PacketizedTrack[] {
    this.#tracks = formats.map(
      (format) =>
        this.#tracks.find((track) => isSameTrack(track.format, format)) ??
        new PacketizedTrack({ format, payloadBytesMax: this.#payloadBytesMax }),
    );
    return this.#tracks;
  }
}

function isSameTrack(one: MediaFormat, other: MediaFormat): boolean {
  return (
    one.codec === other.codec &&
    clockRateOf(one) === clockRateOf(other) &&
    Buffer.compare(one.initialization, other.initialization) === 0
  );
}
