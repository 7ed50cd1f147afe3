import { createLog } from "../../../src/base/index.js";
import { Codec, type MediaFormat } from "../../../src/live/codec/codec.js";
import { type Frame, SlabPool, StreamClock } from "../../../src/live/index.js";
import {
  createTrackReceiver,
  FrameBuilder,
  type MediaTrack,
  SlabWindow,
  type TrackReceiver,
} from "../../../src/rtsp/index.js";
import { SimulatedClock } from "../base/simulated-clock.js";
import { interleaved, type RtpFields, rtpPacket } from "./rtp-packets.js";

/** A published frame, copied: what a test compares. */
export interface SeenFrame {
  readonly bytes: Buffer;
  readonly key: boolean;
  readonly damaged: boolean;
  readonly undecodable: boolean;
  readonly discontinuity: boolean;
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
  readonly format: MediaFormat;
  readonly ranges: number;
}

export interface HarnessOptions {
  readonly codec: Codec;
  readonly payloadType?: number;
  readonly clockRate?: number;
  readonly channels?: number;
  readonly fmtp?: Record<string, string>;
  readonly size?: MediaTrack["size"];
  readonly payload?: MediaTrack["payload"];
  readonly ssrc?: number;
  /** Numbers left out are no loss, as over TCP; not set: they are, wherever the bytes lie. */
  readonly keepsOrder?: boolean;
  /** Over a SlabWindow, as TCP, unless "udp". */
  readonly transport?: "tcp" | "udp";
  readonly pool?: SlabPool;
  readonly clock?: SimulatedClock;
  readonly streamClock?: StreamClock;
  /** Called with each frame before it is released. */
  readonly onFrame?: (frame: Frame) => void;
}

export const log = createLog({ level: "silent" });

export function mediaTrack(options: HarnessOptions): MediaTrack {
  const { codec } = options;
  return {
    kind: codec >= Codec.PCMU ? "audio" : "video",
    codec,
    payloadType: options.payloadType ?? 96,
    clockRate: options.clockRate ?? 90_000,
    channels: options.channels ?? 1,
    control: "rtsp://camera/track1",
    size: options.size,
    payload: options.payload,
    fmtp: new Map(Object.entries(options.fmtp ?? {})),
  };
}

/** A track receiver with its memory, fed with packets; over TCP through a SlabWindow and a minimal demuxer. */
export class TrackHarness {
  readonly pool: SlabPool;
  readonly clock: SimulatedClock;
  readonly builder: FrameBuilder;
  readonly window: SlabWindow | undefined;
  readonly receiver: TrackReceiver;
  readonly frames: SeenFrame[] = [];
  #sequence = 0;

  constructor(options: HarnessOptions) {
    this.pool = options.pool ?? new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 64 * 1024 * 1024 });
    this.clock = options.clock ?? new SimulatedClock();
    this.window = options.transport === "udp" ? undefined : new SlabWindow(this.pool);
    this.builder = new FrameBuilder(this.window ?? this.pool);
    this.receiver = createTrackReceiver({
      track: mediaTrack(options),
      ssrc: options.ssrc,
      keepsOrder: options.keepsOrder ?? false,
      builder: this.builder,
      streamClock: options.streamClock ?? new StreamClock(this.clock),
      clock: this.clock,
      log,
      publish: (frame) => {
        options.onFrame?.(frame);
        this.frames.push(seen(frame));
        frame.release();
      },
    });
  }

  /** The next packet of the track; sequence numbers count up unless given. */
  send(fields: RtpFields, payload: Buffer): this {
    const sequence = fields.sequence ?? this.#sequence;
    this.#sequence = (sequence + 1) & 0xffff;
    return this.packet(rtpPacket({ ...fields, sequence }, payload));
  }

  /** As if `count` packets had been lost. */
  lose(count = 1): this {
    this.#sequence = (this.#sequence + count) & 0xffff;
    return this;
  }

  packet(packet: Buffer): this {
    if (this.window === undefined) this.receiver.receive(packet, 0, packet.length);
    else this.bytes(interleaved(0, packet));
    return this;
  }

  /** Bytes of the interleaved stream as a socket reads them. */
  bytes(bytes: Buffer): void {
    const { window } = this;
    if (window === undefined) throw new Error("no window over UDP");
    for (let at = 0; at < bytes.length; ) {
      const target = window.target();
      const length = Math.min(target.length, bytes.length - at);
      bytes.copy(target, 0, at, at + length);
      window.committed(length);
      at += length;
      this.#demux(window);
    }
  }

  flush(): this {
    this.receiver.flush();
    return this;
  }

  close(): void {
    this.receiver.close();
    this.builder.close();
    this.window?.close();
  }

  #demux(window: SlabWindow): void {
    for (;;) {
      const { buffer, rawStart, rawEnd } = window;
      if (rawEnd - rawStart < 4) return;
      const end = rawStart + 4 + buffer.readUInt16BE(rawStart + 2);
      if (end > rawEnd) return;
      this.receiver.receive(buffer, rawStart + 4, end);
      window.consume(end);
    }
  }
}

export function seen(frame: Frame): SeenFrame {
  const { key, damaged, undecodable, discontinuity, decodeTimeUs, presentationOffsetUs, format } = frame;
  const bytes = frame.copyBytes();
  return {
    bytes,
    key,
    damaged,
    undecodable,
    discontinuity,
    decodeTimeUs,
    presentationOffsetUs,
    format,
    ranges: frame.ranges.length,
  };
}
