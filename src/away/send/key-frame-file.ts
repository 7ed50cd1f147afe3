import type { Hash } from "node:crypto";
import { type KeyFrameSegment, keyFrameSegment, packGopTable } from "../../archive/index.js";
import { errorText } from "../../base/index.js";
import type { ObjectBody } from "../s3/object-body.js";
import { digestedBody } from "./digested-body.js";
import { type SegmentFile, SegmentFileError } from "./segment-file.js";

/**
 * The key frames of a closed segment, as a segment file of their own that lies nowhere: it is put together while it is read, the
 * same bytes each time. In memory are header, footer and where each key frame is.
 */
export class KeyFrameFile {
  readonly #file: SegmentFile;
  readonly #segment: KeyFrameSegment;

  private constructor(file: SegmentFile, segment: KeyFrameSegment) {
    this.#file = file;
    this.#segment = segment;
  }

  /** Reads each key frame once. Rejects with SegmentFileError. */
  static async of(file: SegmentFile): Promise<KeyFrameFile> {
    try {
      const segment = await keyFrameSegment(file);
      if (segment !== undefined) return new KeyFrameFile(file, segment);
    } catch (error) {
      if (error instanceof SegmentFileError) throw error;
      const text = `its key frames cannot be found: ${errorText(error)}`;
      throw new SegmentFileError(text, { cause: error, isGone: false });
    }
    throw new SegmentFileError("it has no key frame that is whole", { isGone: false });
  }

  get bytes(): number {
    return this.#segment.bytes;
  }

  get frames(): number {
    return this.#segment.gops.length;
  }

  /** Base64, as manifests have it. */
  get gops(): string {
    const { gops, fromUs } = this.#segment;
    return Buffer.from(packGopTable(gops, fromUs)).toString("base64");
  }

  head(bytes: number): Buffer {
    return this.#segment.head.subarray(0, bytes);
  }

  async body(from: number, to: number, whole?: Hash): Promise<ObjectBody> {
    return await digestedBody(to - from, () => this.chunks(from, to), whole);
  }

  /** Bytes `[from, to)`, in order. */
  async *chunks(from: number, to: number): AsyncGenerator<Uint8Array> {
    const { head, records, end } = this.#segment;
    yield* part(head, from, to);
    let at = head.length;
    for (const { offset, bytes } of records) {
      const [begin, stop] = [Math.max(from, at), Math.min(to, at + bytes)];
      if (begin < stop) yield* this.#file.chunks(offset + begin - at, offset + stop - at);
      at += bytes;
    }
    yield* part(end, from - at, to - at);
  }
}

/** What of `bytes` lies in `[from, to)`. */
function* part(bytes: Buffer, from: number, to: number): Generator<Uint8Array> {
  const piece = bytes.subarray(Math.max(0, from), Math.max(0, to));
  if (piece.length > 0) yield piece;
}
