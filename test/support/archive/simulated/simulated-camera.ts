import type { StreamWriter } from "../../../../src/archive/segment/types.js";
import { THINNED_INTERVAL_US } from "../../../../src/archive/write/stream-writer.js";
import type { StreamKey } from "../../../../src/base/kinds/stream-type.js";
import { newGuid } from "../../../../src/base/value/guid.js";
import { type AudioFormat, Codec, type VideoFormat } from "../../../../src/live/codec/codec.js";
import { Frame } from "../../../../src/live/frame.js";
import { Slab } from "../../../../src/live/slab.js";
import { SeededRandom } from "../../base/seeded-random.js";

/** A frame as the camera sent it. */
export interface SentFrame {
  readonly decodeTimeUs: number;
  readonly codec: Codec;
  readonly key: boolean;
  readonly bytes: Buffer;
  /** The archive said that it leaves it out: its volume did not keep up. */
  readonly leftOut: boolean;
}

/** What the archive says of a stream that its volume does not keep up with. */
export interface SimulatedLosses {
  readonly framesThinned: number;
  readonly framesDropped: number;
  readonly thinning: boolean;
  readonly dropping: boolean;
  /** Whether its volume takes nothing just now. */
  readonly full: boolean;
}

/** What a simulated camera sends. */
export interface CameraShape {
  readonly codec: VideoFormat["codec"];
  readonly framesPerSecond: number;
  readonly gopFrames: number;
  readonly keyBytes: number;
  readonly deltaBytes: number;
  readonly hasAudio: boolean;
}

/** What the streams of one archive are like: long GOPs, pictures that are all key frames, sound. */
export const CAMERA_SHAPES: readonly CameraShape[] = [
  shape({ framesPerSecond: 5, gopFrames: 50, keyBytes: 6000, deltaBytes: 700 }), // a GOP of 10 s
  shape({ codec: Codec.MJPEG, framesPerSecond: 4, gopFrames: 1, keyBytes: 3000, deltaBytes: 0 }),
  shape({ framesPerSecond: 10, gopFrames: 10, keyBytes: 2500, deltaBytes: 300, hasAudio: true }),
];

const POOL_BYTES = 256 * 1024;
const AUDIO_PACKETS_PER_SECOND = 10;
const AUDIO_BYTES = 160;
const MICROSECONDS_PER_SECOND = 1_000_000;
const NOTHING_COUNTED = { framesThinned: 0, framesDropped: 0 };
const NO_LOSSES: SimulatedLosses = { ...NOTHING_COUNTED, thinning: false, dropping: false, full: false };
const AUDIO: AudioFormat = {
  codec: Codec.PCMU,
  sampleRate: 8000,
  channels: 1,
  initialization: new Uint8Array(0),
};

/** One slab of random bytes that all frames are cut from: a frame's place in it tells it from any other. */
const POOL = new Slab(2_000_000, POOL_BYTES, () => undefined);
POOL.retain();
const poolRandom = new SeededRandom(1);
for (let at = 0; at < POOL_BYTES; at++) POOL.bytes[at] = poolRandom.below(256);

/** A camera in simulated time, and all that it ever sent. */
export class SimulatedCamera {
  readonly key: StreamKey = { channelId: newGuid(), streamType: "Main" };
  readonly shape: CameraShape;
  readonly sent: SentFrame[] = [];
  readonly #random: SeededRandom;
  readonly #format: VideoFormat;
  #nextVideoUs = 0;
  #nextAudioUs = 0;
  #frame = 0;
  #isNew = false;
  #lastKeyUs = 0;
  /** What was left out and should not have been. */
  readonly problems: string[] = [];
  /** Asked before and after each frame. */
  lossesOf: () => SimulatedLosses = () => NO_LOSSES;

  constructor(shape: CameraShape, random: SeededRandom) {
    this.shape = shape;
    this.#random = random;
    this.#format = {
      codec: shape.codec,
      width: 640,
      height: 360,
      initialization: shape.codec === Codec.H264 ? Uint8Array.of(0, 0, 0, 1, 0x67, 1) : new Uint8Array(0),
    };
  }

  /** Connects: the next frame is a key frame after a gap. */
  connect(nowUs: number): void {
    this.#nextVideoUs = nowUs;
    this.#nextAudioUs = nowUs + MICROSECONDS_PER_SECOND / 2;
    this.#frame = 0;
    this.#isNew = true;
  }

  /** Sends what is due up to `nowUs`. */
  send(writer: StreamWriter, nowUs: number): void {
    const { framesPerSecond, hasAudio } = this.shape;
    while (Math.min(this.#nextVideoUs, hasAudio ? this.#nextAudioUs : Number.POSITIVE_INFINITY) <= nowUs) {
      if (hasAudio && this.#nextAudioUs < this.#nextVideoUs) {
        this.#append(writer, { decodeTimeUs: this.#nextAudioUs, codec: Codec.PCMU, key: true }, AUDIO_BYTES);
        this.#nextAudioUs += MICROSECONDS_PER_SECOND / AUDIO_PACKETS_PER_SECOND;
        continue;
      }
      const key = this.#frame % this.shape.gopFrames === 0;
      const usual = key ? this.shape.keyBytes : this.shape.deltaBytes;
      const bytes = Math.max(8, Math.floor(usual * (0.5 + this.#random.next())));
      this.#append(writer, { decodeTimeUs: this.#nextVideoUs, codec: this.shape.codec, key }, bytes);
      this.#frame += 1;
      this.#nextVideoUs += MICROSECONDS_PER_SECOND / framesPerSecond;
    }
  }

  #append(writer: StreamWriter, fields: Omit<SentFrame, "bytes" | "leftOut">, length: number): void {
    const offset = this.#random.below(POOL_BYTES - length);
    const bytes = POOL.bytes.subarray(offset, offset + length);
    const frame = new Frame({
      format: fields.codec === Codec.PCMU ? AUDIO : this.#format,
      decodeTimeUs: fields.decodeTimeUs,
      presentationOffsetUs: 0,
      key: fields.key,
      damaged: false,
      undecodable: false,
      discontinuity: this.#isNew && fields.codec !== Codec.PCMU,
      ranges: [{ slab: POOL, bytes }],
    });
    this.#isNew = false;
    const before = this.lossesOf();
    writer.append(frame);
    frame.release();
    const leftOut = this.#isLeftOut(fields, before, this.lossesOf());
    const copy = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.sent.push({ ...fields, leftOut, bytes: copy });
  }

  /** Pictures are counted; sound goes with them. */
  #isLeftOut(
    { codec, key, decodeTimeUs }: Pick<SentFrame, "codec" | "key" | "decodeTimeUs">,
    before: SimulatedLosses,
    after: SimulatedLosses,
  ): boolean {
    if (codec === Codec.PCMU) return after.thinning || after.dropping;
    const isThinned = after.framesThinned > before.framesThinned;
    const isDropped = after.framesDropped > before.framesDropped;
    if (isThinned && key && decodeTimeUs - this.#lastKeyUs >= THINNED_INTERVAL_US)
      this.problems.push(`the key frame at ${decodeTimeUs} was thinned out`);
    if (isDropped && !before.dropping && !after.full)
      this.problems.push(`the frame at ${decodeTimeUs} was dropped although there was room`);
    if (key && !isThinned && !isDropped) this.#lastKeyUs = decodeTimeUs;
    return isThinned || isDropped;
  }
}

function shape(fields: Partial<CameraShape> & Omit<CameraShape, "codec" | "hasAudio">): CameraShape {
  return { codec: Codec.H264, hasAudio: false, ...fields };
}
