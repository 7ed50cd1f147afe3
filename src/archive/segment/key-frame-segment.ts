import { crc32 } from "node:zlib";
import { type Guid, guidFromBytes, guidToBytes } from "../../base/index.js";
import { isKeyFramesFragment, keyFramesFragmentId } from "./fragment-origin.js";
import { payloadCrc, sealRecordHeader } from "./record-crc.js";
import {
  FLAG_DAMAGED,
  FLAG_KEY,
  FLAG_UNDECODABLE,
  HEADER_BYTES_MAX,
  HEADER_CRC_BYTES,
  HEADER_FIXED_BYTES,
  isRecordHeader,
  packProgress,
  packTrailer,
  RECORD_HEADER_BYTES,
  RecordKind,
  readRecordHeader,
  SegmentFormatError,
  type SegmentFraming,
  writeRecordCrc,
  writeRecordHeader,
} from "./segment-format.js";
import { closedProgress, readFraming, type SegmentSource } from "./segment-scan.js";
import type { GopEntry } from "./segment-summary.js";

/** Key frames that are closer than this are left out: MJPEG has nothing but key frames. A second, less what cameras are early. */
const KEY_FRAMES_APART_US = 900_000;
const FRAGMENT_ID_AT = 72;
const AUDIO_AT = 144;
const AUDIO_INITIALIZATION_AT = 146;

/** A key frame's record, as it lies in the whole segment. */
interface KeyFrameRecord {
  readonly offset: number;
  readonly bytes: number;
}

/** The key frames of a segment as a segment of their own: what is new of it, and what is copied from the whole one. */
export interface KeyFrameSegment {
  /** Of the whole file that it would be. */
  readonly bytes: number;
  readonly head: Buffer;
  readonly records: readonly KeyFrameRecord[];
  /** Footer and trailer. */
  readonly end: Buffer;
  /** Of the new file: one frame each. */
  readonly gops: readonly GopEntry[];
  /** Decode time of the whole segment's first frame, as its header has it. */
  readonly fromUs: number;
}

interface FoundKeyFrame extends KeyFrameRecord {
  readonly decodeTimeUs: number;
  readonly damaged: boolean;
}

/** Reads parts of the whole segment one after the other, so that its disk can be left to others between them. */
type KeyFrameSource = SegmentSource & {
  /** Bytes `[from, to)`, in order. */
  chunks(from: number, to: number): AsyncIterable<Uint8Array>;
};

/**
 * Finds the key frames of a closed segment by its footer, and checks each: one whose CRC is wrong is left out. Records keep their
 * CRCs, because segment id and nonce stay; header and footer are new. Undefined where the segment has no key frame that is whole.
 * Rejects with SegmentFormatError where it is no closed segment.
 */
export async function keyFrameSegment(source: KeyFrameSource): Promise<KeyFrameSegment | undefined> {
  const framing = readFraming(source);
  const footer = closedProgress(source, framing);
  if (footer === undefined) throw new SegmentFormatError("its footer is damaged or missing");
  const found: FoundKeyFrame[] = [];
  for (const { offset, decodeTimeUs } of footer.gops) {
    const last = found.at(-1);
    if (last !== undefined && decodeTimeUs - last.decodeTimeUs < KEY_FRAMES_APART_US) continue;
    const frame = await keyFrameAt(source, framing, offset);
    if (frame !== undefined) found.push(frame);
  }
  if (found.length === 0) return undefined;
  const head = headerOf(source.read(0, Math.min(framing.headerBytes, HEADER_BYTES_MAX)));
  let at = head.length;
  const gops = found.map(({ bytes, decodeTimeUs, damaged }): GopEntry => {
    const gop = { decodeTimeUs, offset: at, frames: 1, damaged };
    at += bytes;
    return gop;
  });
  const end = endOf({ gops, toUs: footer.toUs, offset: at }, framing);
  const records = found.map(({ offset, bytes }) => ({ offset, bytes }));
  return { bytes: at + end.length, head, records, end, gops, fromUs: framing.fromUs };
}

/** The key frame whose record is at a place; undefined where there is none that is whole. */
async function keyFrameAt(
  source: KeyFrameSource,
  framing: SegmentFraming,
  offset: number,
): Promise<FoundKeyFrame | undefined> {
  const header = Buffer.from(source.read(offset, RECORD_HEADER_BYTES));
  if (!isRecordHeader(header, 0, framing.crcSeed)) return undefined;
  const { kind, flags, payloadBytes, decodeTimeUs } = readRecordHeader(header, 0);
  const isKey = kind === RecordKind.FRAME && (flags & FLAG_KEY) !== 0 && (flags & FLAG_UNDECODABLE) === 0;
  const bytes = RECORD_HEADER_BYTES + payloadBytes;
  if (!isKey || offset + bytes > source.bytes) return undefined;
  let crc = crc32(header.subarray(0, 24), framing.crcSeed);
  for await (const chunk of source.chunks(offset + RECORD_HEADER_BYTES, offset + bytes))
    crc = payloadCrc(chunk, crc);
  if (crc !== header.readUInt32LE(24)) return undefined;
  return { offset, bytes, decodeTimeUs, damaged: (flags & FLAG_DAMAGED) !== 0 };
}

/** The header without the format of sound, and with the id of the fragment's key frames. */
function headerOf(whole: Buffer): Buffer {
  const soundBytes = whole.readUInt16LE(AUDIO_INITIALIZATION_AT);
  const videoEnd = whole.length - HEADER_CRC_BYTES - soundBytes;
  if (videoEnd < HEADER_FIXED_BYTES) throw new SegmentFormatError("codec parameters do not add up");
  const head = Buffer.alloc(videoEnd + HEADER_CRC_BYTES);
  whole.copy(head, 0, 0, videoEnd);
  head.writeUInt32LE(head.length, 12);
  head.fill(0, AUDIO_AT, HEADER_FIXED_BYTES);
  head.set(guidToBytes(keyFramesIdOf(guidFromBytes(whole, FRAGMENT_ID_AT))), FRAGMENT_ID_AT);
  head.writeUInt32LE(crc32(head.subarray(0, videoEnd)), videoEnd);
  return head;
}

/** Whether the fixed part of a header is that of key frames alone. Nothing else is checked. */
export function isKeyFramesHead(fixed: Uint8Array): boolean {
  return fixed.length >= HEADER_FIXED_BYTES && isKeyFramesFragment(guidFromBytes(fixed, FRAGMENT_ID_AT));
}

/** A segment that came back as key frames alone is its own. */
function keyFramesIdOf(id: Guid): Guid {
  if (isKeyFramesFragment(id)) return id;
  const own = keyFramesFragmentId(id);
  if (own === undefined) throw new SegmentFormatError(`fragment ${id} has an id of another kind`);
  return own;
}

function endOf(
  {
    gops,
    toUs,
    offset,
  }: { readonly gops: readonly GopEntry[]; readonly toUs: number; readonly offset: number },
  framing: SegmentFraming,
): Buffer {
  const progress = packProgress(
    {
      ...{ syncedBytes: offset, previousMark: 0, toUs, videoFrames: gops.length, audioFrames: 0 },
      ...{ continuedFrames: 0, continuedDamaged: false, gops },
    },
    framing,
  );
  const record = Buffer.alloc(RECORD_HEADER_BYTES + progress.length);
  writeRecordHeader(record, 0, {
    ...{ kind: RecordKind.FOOTER, payloadBytes: progress.length, codec: 0, flags: 0 },
    ...{ presentationOffsetUs: 0, decodeTimeUs: toUs },
  });
  progress.copy(record, RECORD_HEADER_BYTES);
  writeRecordCrc(record, 0, payloadCrc(progress, sealRecordHeader(record, 0, framing.crcSeed)));
  return Buffer.concat([record, packTrailer(offset, framing.crcSeed)]);
}
