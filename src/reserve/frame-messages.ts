import * as v from "valibot";
import { NvrdError } from "../base/index.js";
import { Codec, Frame, isAudioCodec, type MediaFormat, SlabFiller, type SlabPool } from "../live/index.js";

/**
 * Recorded frames on their way from a reserve to the owner. Each is two lengths (uint32, little-endian), of a head in JSON and of the
 * frame's bytes, and then both. A head names the format where it is another one than that of the frame before of its kind.
 */

const LENGTHS_BYTES = 8;
const HEAD_BYTES_MAX = 128 * 1024;
/** A key frame of a camera is smaller. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024;
const SIDE_MAX = 32_768;

const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const side = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(SIDE_MAX));
const initialization = v.pipe(v.string(), v.maxLength(HEAD_BYTES_MAX), v.regex(/^[A-Za-z0-9+/]*={0,2}$/));
const codec = v.picklist(Object.values(Codec));

const head = v.object({
  /** Decode time, and presentation minus decode time, µs. */
  time,
  offset: time,
  key: v.boolean(),
  damaged: v.boolean(),
  undecodable: v.boolean(),
  discontinuity: v.boolean(),
  isAudio: v.boolean(),
  format: v.optional(
    v.union([
      v.object({ codec, width: side, height: side, initialization }),
      v.object({
        codec,
        sampleRate: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(384_000)),
        channels: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(32)),
        initialization,
      }),
    ]),
  ),
});
type Head = v.InferOutput<typeof head>;

/** A frame as the archive reads it. */
export interface SentFrame {
  readonly format: MediaFormat;
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
  readonly key: boolean;
  readonly damaged: boolean;
  readonly undecodable: boolean;
  readonly startsFragment: boolean;
  readonly bytes: Uint8Array;
}

/** Makes messages of frames. */
export class FrameSender {
  readonly #formats = new Map<boolean, MediaFormat>();

  message(frame: SentFrame): Buffer {
    const { format, bytes } = frame;
    const isAudio = isAudioCodec(format.codec);
    const isKnown = this.#formats.get(isAudio) === format;
    this.#formats.set(isAudio, format);
    const frameHead: Head = {
      ...{ time: Math.round(frame.decodeTimeUs), offset: Math.round(frame.presentationOffsetUs), isAudio },
      ...{
        key: frame.key,
        damaged: frame.damaged,
        undecodable: frame.undecodable,
        discontinuity: frame.startsFragment,
      },
      ...(isKnown
        ? {}
        : { format: { ...format, initialization: Buffer.from(format.initialization).toString("base64") } }),
    };
    const text = Buffer.from(JSON.stringify(frameHead));
    const lengths = Buffer.alloc(LENGTHS_BYTES);
    lengths.writeUInt32LE(text.length, 0);
    lengths.writeUInt32LE(bytes.length, 4);
    return Buffer.concat([lengths, text, bytes]);
  }
}

/** Makes frames of messages, in slabs of a pool. */
export class FrameReceiver {
  readonly #filler: SlabFiller;
  readonly #formats = new Map<boolean, MediaFormat>();
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(pool: SlabPool) {
    this.#filler = new SlabFiller(pool);
  }

  /** Whether what came so far ends with a whole frame. */
  get isWhole(): boolean {
    return this.#bytes === 0;
  }

  /**
   * The frames that are whole with these bytes, each with a lease for the caller. Throws NvrdError NOT_AVAILABLE for what is no frame, or
   * where the memory for frames is used up; the frames before are released then.
   */
  take(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: Frame[] = [];
    try {
      for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
      return frames;
    } catch (error) {
      for (const frame of frames) frame.release();
      throw error;
    }
  }

  /** Frames keep their own leases. */
  close(): void {
    this.#filler.close();
    this.#chunks = [];
    this.#bytes = 0;
  }

  #next(): Frame | undefined {
    if (this.#bytes < LENGTHS_BYTES) return undefined;
    const start = this.#peek(LENGTHS_BYTES);
    const [headBytes, frameBytes] = [start.readUInt32LE(0), start.readUInt32LE(4)];
    if (headBytes > HEAD_BYTES_MAX || frameBytes > FRAME_BYTES_MAX || frameBytes === 0)
      throw unreadable("its lengths are none of a frame");
    const totalBytes = LENGTHS_BYTES + headBytes + frameBytes;
    if (this.#bytes < totalBytes) return undefined;
    const whole = this.#peek(totalBytes);
    this.#drop(totalBytes);
    const parsedHead = headOf(whole.subarray(LENGTHS_BYTES, LENGTHS_BYTES + headBytes));
    return this.#frame(parsedHead, whole.subarray(LENGTHS_BYTES + headBytes, totalBytes));
  }

  #frame(parsedHead: Head, bytes: Buffer): Frame {
    const {
      time: decodeTimeUs,
      offset: presentationOffsetUs,
      key,
      damaged,
      undecodable,
      discontinuity,
      isAudio,
    } = parsedHead;
    if (parsedHead.format !== undefined) this.#formats.set(isAudio, formatOf(parsedHead.format));
    const format = this.#formats.get(isAudio);
    if (format === undefined || isAudioCodec(format.codec) !== isAudio)
      throw unreadable("a frame has no format");
    const fields = { format, decodeTimeUs, presentationOffsetUs, key, damaged, undecodable, discontinuity };
    let frame: Frame | undefined;
    const isThere = this.#filler.add(bytes, (ranges) => {
      frame = new Frame({ ...fields, ranges });
    });
    if (!isThere || frame === undefined)
      throw new NvrdError("NOT_AVAILABLE", "the memory for frames is used up", { hint: "it is tried again" });
    return frame;
  }

  /** The first bytes, in one piece. */
  #peek(bytes: number): Buffer {
    const [first] = this.#chunks;
    if (first === undefined || first.length < bytes) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]?.subarray(0, bytes) ?? Buffer.alloc(0);
  }

  #drop(bytes: number): void {
    const [first = Buffer.alloc(0), ...rest] = this.#chunks;
    const left = first.subarray(bytes);
    this.#chunks = left.length === 0 ? rest : [left, ...rest];
    this.#bytes -= bytes;
  }
}

function headOf(bytes: Buffer): Head {
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw unreadable("a head is no JSON");
  }
  const read = v.safeParse(head, content);
  if (!read.success) throw unreadable("a head has not what it needs");
  return read.output;
}

function formatOf(stated: NonNullable<Head["format"]>): MediaFormat {
  return { ...stated, initialization: new Uint8Array(Buffer.from(stated.initialization, "base64")) };
}

function unreadable(why: string): NvrdError {
  return new NvrdError("NOT_AVAILABLE", `what the reserve sends cannot be read: ${why}`, {
    hint: "bring both recorders to the same version",
  });
}
