import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { sealRecordHeader } from "../../../src/archive/segment/record-crc.js";
import {
  NONCE_BYTES,
  packProgress,
  packTrailer,
  RECORD_HEADER_BYTES,
  RecordKind,
  readSegmentFraming,
  writeRecordCrc,
  writeRecordHeader,
} from "../../../src/archive/segment/segment-format.js";
import { packSegmentHeader, type SegmentHeader } from "../../../src/archive/segment/segment-header.js";
import type { GopEntry } from "../../../src/archive/segment/segment-summary.js";
import { newGuid } from "../../../src/base/index.js";
import { AUDIO, newStreamKey, patternBytes, VIDEO } from "./archive-fixture.js";

const FROM_US = 1_704_067_200_000_000;
const FRAME_US = 40_000;
const FLAG_KEY = 1;

/** A frame of a segment that is made up. */
export interface MadeFrame {
  readonly decodeTimeUs: number;
  readonly key?: boolean;
  readonly isSound?: boolean;
  readonly payload: Uint8Array;
}

export interface MadeSegment {
  /** Without and with its end. */
  readonly open: Buffer;
  readonly closed: Buffer;
  readonly gops: readonly GopEntry[];
}

/** A whole segment of `frames` frames, the first one a key frame: its bytes without and with its end. */
export function segmentBytes(frames: number, fields: Partial<SegmentHeader> = {}): MadeSegment {
  const fromUs = fields.fromUs ?? FROM_US;
  const made = Array.from({ length: frames }, (_, at) => ({
    ...{ decodeTimeUs: fromUs + at * FRAME_US, key: at === 0, payload: patternBytes(1500, at) },
  }));
  return segmentOfFrames(made, { toUs: fromUs + frames * FRAME_US, ...fields });
}

/** A closed segment of frames, made without the writer: `toUs` is its end. */
export function segmentOfFrames(
  frames: readonly MadeFrame[],
  { toUs, ...fields }: Partial<SegmentHeader> & { readonly toUs: number },
): MadeSegment {
  const fromUs = fields.fromUs ?? frames[0]?.decodeTimeUs ?? FROM_US;
  const header = packSegmentHeader({
    segmentId: FROM_US,
    nonce: randomBytes(NONCE_BYTES),
    volumeId: newGuid(),
    key: newStreamKey(),
    fragmentId: newGuid(),
    fragmentSequence: 0,
    bootId: newGuid(),
    epoch: 0,
    createdWallUs: FROM_US,
    createdMonotonicUs: 0,
    provisional: false,
    moves: 0,
    video: VIDEO,
    audio: undefined,
    ...fields,
    fromUs,
  });
  const framing = readSegmentFraming(header);
  const gops: GopEntry[] = [];
  let offset = header.length;
  const records = frames.map(({ decodeTimeUs, key = false, isSound = false, payload }) => {
    const codec = isSound ? AUDIO.codec : VIDEO.codec;
    const last = gops.at(-1);
    if (key) gops.push({ decodeTimeUs, offset, frames: 1, damaged: false });
    else if (last !== undefined && !isSound) gops[gops.length - 1] = { ...last, frames: last.frames + 1 };
    const frame = { kind: RecordKind.FRAME, codec, flags: key ? FLAG_KEY : 0, decodeTimeUs };
    const record = recordBytes(frame, payload, framing.crcSeed);
    offset += record.length;
    return record;
  });
  const open = Buffer.concat([header, ...records]);
  const audioFrames = frames.filter(({ isSound }) => isSound).length;
  const progress = {
    syncedBytes: open.length,
    previousMark: 0,
    toUs,
    videoFrames: frames.length - audioFrames,
    audioFrames,
    continuedFrames: 0,
    continuedDamaged: false,
    gops,
  };
  const end = { kind: RecordKind.FOOTER, codec: 0, flags: 0, decodeTimeUs: toUs };
  const footer = recordBytes(end, packProgress(progress, framing), framing.crcSeed);
  const closed = Buffer.concat([open, footer, packTrailer(open.length, framing.crcSeed)]);
  return { open, closed, gops };
}

function recordBytes(
  fields: { kind: RecordKind; codec: number; flags: number; decodeTimeUs: number },
  payload: Uint8Array,
  crcSeed: number,
): Buffer {
  const header = Buffer.alloc(RECORD_HEADER_BYTES);
  writeRecordHeader(header, 0, { ...fields, payloadBytes: payload.length, presentationOffsetUs: 0 });
  writeRecordCrc(header, 0, crc32(payload, sealRecordHeader(header, 0, crcSeed)));
  return Buffer.concat([header, payload]);
}
