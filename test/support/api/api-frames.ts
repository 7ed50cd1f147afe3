import type { ArchivedFrame } from "../../../src/archive/index.js";
import { type AudioFormat, Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { Frame } from "../../../src/live/index.js";

/** 21.11.2026 09:00:00 UTC. */
export const NINE_US = Date.UTC(2026, 10, 21, 9) * 1000;
export const FRAME_US = 40_000;

export interface FrameChange {
  readonly codec?: Codec;
  readonly key?: boolean;
  readonly damaged?: boolean;
  readonly undecodable?: boolean;
  readonly atUs?: number;
  readonly bytes?: Uint8Array;
  readonly presentationOffsetUs?: number;
}

/** The bytes of the `index`th frame: recognisable, `size` long. */
export function frameBytes(index: number, size = 64): Buffer {
  const bytes = Buffer.alloc(size, index & 0xff);
  bytes.write(`frame ${index};`, 0, "latin1");
  return bytes;
}

export function liveFrame(index: number, change: FrameChange = {}): Frame {
  const codec = change.codec ?? Codec.H264;
  const bytes = change.bytes ?? frameBytes(index);
  const audio: AudioFormat = { codec, sampleRate: 8000, channels: 1, initialization: new Uint8Array(0) };
  const video: VideoFormat = { codec, width: 640, height: 480, initialization: new Uint8Array(0) };
  return new Frame({
    format: codec >= 16 ? audio : video,
    decodeTimeUs: change.atUs ?? NINE_US + index * FRAME_US,
    presentationOffsetUs: change.presentationOffsetUs ?? 0,
    key: change.key ?? codec >= 16,
    damaged: change.damaged ?? false,
    undecodable: change.undecodable ?? false,
    discontinuity: false,
    ranges: [{ slab: undefined, bytes }],
  });
}

/** `count` archived frames from `fromUs` on, a key frame each `gopFrames`; the first starts a fragment. */
export function archivedFrames(
  count: number,
  fromUs = NINE_US,
  options: { gopFrames?: number; size?: number } = {},
): ArchivedFrame[] {
  const gopFrames = options.gopFrames ?? 25;
  return Array.from({ length: count }, (_, index) => ({
    codec: Codec.H264,
    decodeTimeUs: fromUs + index * FRAME_US,
    presentationOffsetUs: 0,
    key: index % gopFrames === 0,
    damaged: false,
    undecodable: false,
    streamType: "Main" as const,
    startsFragment: index === 0,
    bytes: frameBytes(index, options.size),
  }));
}
