import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import {
  NONCE_BYTES,
  packProgress,
  packTrailer,
  RECORD_HEADER_BYTES,
  RecordKind,
  readSegmentFraming,
  sealRecordHeader,
  writeRecordCrc,
  writeRecordHeader,
} from "../../../src/archive/segment/segment-format.js";
import { packSegmentHeader, type SegmentHeader } from "../../../src/archive/segment/segment-header.js";
import { newGuid } from "../../../src/base/index.js";
import { newStreamKey, patternBytes, VIDEO } from "./archive-fixture.js";

const FROM_US = 1_704_067_200_000_000;
const FRAME_US = 40_000;
const FLAG_KEY = 1;

/** A whole segment of `frames` frames, the first one a key frame: its bytes without and with its end. */
export function segmentBytes(
  frames: number,
  fields: Partial<SegmentHeader> = {},
): { readonly open: Buffer; readonly closed: Buffer } {
  const fromUs = fields.fromUs ?? FROM_US;
  const header = packSegmentHeader({
    segmentId: FROM_US,
    nonce: randomBytes(NONCE_BYTES),
    volumeId: newGuid(),
    key: newStreamKey(),
    fragmentId: newGuid(),
    fragmentSequence: 0,
    bootId: newGuid(),
    epoch: 0,
    fromUs,
    createdWallUs: FROM_US,
    createdMonotonicUs: 0,
    provisional: false,
    moves: 0,
    video: VIDEO,
    audio: undefined,
    ...fields,
  });
  const framing = readSegmentFraming(header);
  const records = Array.from({ length: frames }, (_, at) => {
    const frame = { kind: RecordKind.FRAME, codec: VIDEO.codec, flags: at === 0 ? FLAG_KEY : 0 };
    return recordBytes(
      { ...frame, decodeTimeUs: fromUs + at * FRAME_US },
      patternBytes(1500, at),
      framing.crcSeed,
    );
  });
  const open = Buffer.concat([header, ...records]);
  const toUs = fromUs + frames * FRAME_US;
  const progress = {
    syncedBytes: open.length,
    previousMark: 0,
    toUs,
    videoFrames: frames,
    audioFrames: 0,
    continuedFrames: 0,
    continuedDamaged: false,
    gops: [{ decodeTimeUs: fromUs, offset: header.length, frames, damaged: false }],
  };
  const end = { kind: RecordKind.FOOTER, codec: 0, flags: 0, decodeTimeUs: toUs };
  const footer = recordBytes(end, packProgress(progress, framing), framing.crcSeed);
  return { open, closed: Buffer.concat([open, footer, packTrailer(open.length, framing.crcSeed)]) };
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
