import { type AudioFormat, Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { Frame, type Slab, type SlabPool } from "../../../src/live/index.js";

export const TEST_VIDEO_FORMAT: VideoFormat = {
  codec: Codec.H264,
  width: 320,
  height: 240,
  initialization: Uint8Array.of(0, 0, 0, 1, 0x67, 0, 0, 0, 1, 0x68),
};

export const TEST_AUDIO_FORMAT: AudioFormat = {
  codec: Codec.PCMU,
  sampleRate: 8000,
  channels: 1,
  initialization: new Uint8Array(0),
};

export interface SyntheticFrame {
  readonly decodeTimeUs: number;
  readonly key?: boolean;
  readonly damaged?: boolean;
  readonly undecodable?: boolean;
  readonly discontinuity?: boolean;
  readonly bytes?: Uint8Array;
  readonly audio?: boolean;
  readonly format?: VideoFormat;
}

/** A frame with memory of its own. */
export function syntheticFrame(fields: SyntheticFrame): Frame {
  return new Frame({
    format: fields.audio ? TEST_AUDIO_FORMAT : (fields.format ?? TEST_VIDEO_FORMAT),
    decodeTimeUs: fields.decodeTimeUs,
    presentationOffsetUs: 0,
    key: fields.audio ?? fields.key ?? false,
    damaged: fields.damaged ?? false,
    undecodable: fields.undecodable ?? false,
    discontinuity: fields.discontinuity ?? false,
    ranges: [{ slab: undefined, bytes: fields.bytes ?? Uint8Array.of(0, 0, 0, 1, 0x41, 1, 2, 3) }],
  });
}

/** A frame that lies in a slab of `pool`; the slab has no other lease. */
export function slabFrame(
  pool: SlabPool,
  fields: SyntheticFrame & { readonly byteLength: number },
): { frame: Frame; slab: Slab } {
  const slab = pool.take();
  if (slab === undefined) throw new Error("the pool is empty");
  const frame = new Frame({
    format: TEST_VIDEO_FORMAT,
    decodeTimeUs: fields.decodeTimeUs,
    presentationOffsetUs: 0,
    key: fields.key ?? false,
    damaged: fields.damaged ?? false,
    undecodable: fields.undecodable ?? false,
    discontinuity: fields.discontinuity ?? false,
    ranges: [{ slab, bytes: slab.bytes.subarray(0, fields.byteLength) }],
  });
  slab.release();
  return { frame, slab };
}
