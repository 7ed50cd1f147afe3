import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";

/** Writes whole segment files by the functions that the archive writes them with: one key frame a GOP, small. */

const dist = new URL("../../../dist/archive/", import.meta.url);
const load = (name) => import(new URL(`${name}.js`, dist).href);
const format = await load("segment/segment-format");
const { sealRecordHeader } = await load("segment/record-crc");
const { packSegmentHeader } = await load("segment/segment-header");
const { segmentPath } = await load("segment/segment-summary");

const H264 = 1;
const GOP_US = 2_000_000;
export const SEGMENT_US = 60_000_000;
const GOPS = 30;

/** The bytes of one segment, `bytes` long or as long as its frames need. */
export function segmentBytes({
  volumeId,
  channelId,
  fragmentId,
  bootId,
  sequence,
  fromUs,
  segmentId,
  bytes,
}) {
  const nonce = Buffer.alloc(format.NONCE_BYTES);
  nonce.writeDoubleLE(segmentId);
  const header = packSegmentHeader({
    segmentId,
    nonce,
    volumeId,
    key: { channelId, streamType: "Main" },
    fragmentId,
    fragmentSequence: sequence,
    bootId,
    epoch: 0,
    fromUs,
    createdWallUs: segmentId,
    createdMonotonicUs: 0,
    provisional: false,
    video: { codec: H264, width: 1920, height: 1080, initialization: new Uint8Array(0) },
    audio: undefined,
  });
  const framing = format.readSegmentFraming(header);
  const payload = Buffer.alloc(Math.max(8, Math.floor(((bytes ?? 0) - 1200) / GOPS)));
  const parts = [header];
  const gops = [];
  let offset = header.length;
  for (let gop = 0; gop < GOPS; gop++) {
    const decodeTimeUs = fromUs + gop * GOP_US;
    const record = recordBytes(
      { kind: format.RecordKind.FRAME, codec: H264, flags: 1, decodeTimeUs },
      payload,
      framing,
    );
    gops.push({ decodeTimeUs, offset, frames: 1, damaged: false });
    parts.push(record);
    offset += record.length;
  }
  const toUs = fromUs + SEGMENT_US;
  const counts = { videoFrames: GOPS, audioFrames: 0, continuedFrames: 0, continuedDamaged: false };
  const progress = format.packProgress(
    { syncedBytes: offset, previousMark: 0, toUs, ...counts, gops },
    framing,
  );
  const footer = { kind: format.RecordKind.FOOTER, codec: 0, flags: 0, decodeTimeUs: toUs };
  parts.push(recordBytes(footer, progress, framing), format.packTrailer(offset, framing.crcSeed));
  return Buffer.concat(parts);
}

function recordBytes(fields, payload, { crcSeed }) {
  const header = Buffer.alloc(format.RECORD_HEADER_BYTES);
  format.writeRecordHeader(header, 0, { ...fields, payloadBytes: payload.length, presentationOffsetUs: 0 });
  format.writeRecordCrc(header, 0, crc32(payload, sealRecordHeader(header, 0, crcSeed)));
  return Buffer.concat([header, payload]);
}

/**
 * Fills a volume with `segments` one-minute segments of the channels, one fragment each, that end at `endUs`, in the order in
 * which they would be recorded. Answers the paths under the volume in that order, and their bytes.
 */
export function fillVolume({ directory, volumeId, channelIds, segments, endUs, bytes }) {
  const rows = Math.floor(segments / channelIds.length);
  const fragments = channelIds.map(() => crypto.randomUUID());
  const bootId = crypto.randomUUID();
  const made = new Set();
  const paths = [];
  let total = 0;
  for (let row = 0; row < rows; row++) {
    const fromUs = endUs - (rows - row) * SEGMENT_US;
    for (const [at, channelId] of channelIds.entries()) {
      const segmentId = fromUs + at;
      const content = segmentBytes({
        ...{
          volumeId,
          channelId,
          fragmentId: fragments[at],
          bootId,
          sequence: row,
          fromUs,
          segmentId,
          bytes,
        },
      });
      const name = segmentPath({ key: { channelId, streamType: "Main" }, segmentId });
      const day = path.join(directory, path.dirname(name));
      if (!made.has(day)) {
        mkdirSync(day, { recursive: true });
        made.add(day);
      }
      const fd = openSync(path.join(directory, name), "w", 0o640);
      writeSync(fd, content);
      closeSync(fd);
      paths.push(name);
      total += content.length;
    }
  }
  return { paths, bytes: total };
}
