/**
 * Recovery of a segment that was being written when the service or the power failed: everything up to the last
 * whole record is kept, the torn tail cut, the footer written. Runs in a volume's reader thread.
 */

import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { sealRecordHeader } from "../segment/record-crc.js";
import {
  packProgress,
  packTrailer,
  RECORD_HEADER_BYTES,
  RecordKind,
  SegmentFormatError,
  type SegmentFraming,
  type SegmentProgress,
  writeRecordCrc,
  writeRecordHeader,
} from "../segment/segment-format.js";
import {
  closedProgress,
  findLastMark,
  findNextMark,
  gopsOfChain,
  progressAt,
  readFraming,
  recordAt,
  type SegmentSource,
} from "../segment/segment-scan.js";
import { segmentIdOf } from "../segment/segment-summary.js";
import { SegmentTally } from "../segment/segment-tally.js";
import { type Disk, syncDirectory, writeAll } from "./disk.js";
import { OpenFile } from "./open-file.js";

/** What became of a file. */
export type RecoveryOutcome =
  /** It had been closed; nothing was changed. */
  | {
      readonly kind: "closed";
      readonly header: Uint8Array;
      readonly bytes: number;
      readonly progress: SegmentProgress;
    }
  /** Closed now; `cutBytes` of torn tail are gone, `skipped` bad records remain in it. */
  | {
      readonly kind: "recovered";
      readonly header: Uint8Array;
      readonly bytes: number;
      readonly progress: SegmentProgress;
      readonly cutBytes: number;
      readonly skipped: number;
    }
  /** It held no whole frame and was removed. */
  | { readonly kind: "removed"; readonly reason: string }
  /** Of a newer format: left as it is. */
  | { readonly kind: "refused"; readonly reason: string };

export interface RecoveryOptions {
  /** The segment ends no later than this, its last frame's start excepted: what came after it is a fragment of its own. */
  readonly toUsMax: number;
}

/**
 * Recovers one file of `open/`; everything in the result is durable, including the file's name. Throws the
 * disk's own errors; the file is then as it was.
 */
export function recoverSegment(disk: Disk, path: string, options: RecoveryOptions): RecoveryOutcome {
  const file = new OpenFile(disk, path, "r+");
  try {
    // After a failed sync the page cache holds data that will never reach the disk. It is dropped, so that the disk is read.
    disk.dontNeed(file.fd, 0, file.bytes);
    const framing = readFraming(file);
    // Some file systems show after a power cut what the blocks of a file held before: another segment, whole.
    if ((segmentIdOf(path) ?? framing.segmentId) !== framing.segmentId)
      return remove(disk, path, `it holds segment ${framing.segmentId}`);
    const closed = wholeEnd(file, framing);
    const header = () => Uint8Array.from(file.read(0, framing.headerBytes));
    if (closed !== undefined) {
      // A service that was killed between its last write and its sync leaves a whole file that only memory has.
      makeDurable(disk, file, path);
      return { kind: "closed", header: header(), bytes: file.bytes, progress: closed };
    }
    const found = tallyOpenFile(file, framing);
    if (found.tally.videoFrames + found.tally.audioFrames === 0)
      return remove(disk, path, "it holds no whole frame");
    const toUs = Math.max(found.tally.lastUs + 1, Math.min(found.tally.toUs, options.toUsMax));
    const progress = progressOf(found, toUs);
    const cutBytes = file.bytes - found.end;
    const bytes = closeFile(disk, file, framing, found.end, progress);
    makeDurable(disk, file, path);
    return { kind: "recovered", header: header(), bytes, progress, cutBytes, skipped: found.skipped };
  } catch (error) {
    if (!(error instanceof SegmentFormatError)) throw error;
    if (error.newer) return { kind: "refused", reason: error.message };
    return remove(disk, path, error.message);
  } finally {
    file.close();
  }
}

/** The footer's progress, if all bytes after the last known sync are present: a disk may write a file's end before its middle. */
function wholeEnd(file: SegmentSource, framing: SegmentFraming): SegmentProgress | undefined {
  const closed = closedProgress(file, framing);
  if (closed === undefined) return undefined;
  const mark = progressAt(file, framing, closed.previousMark, RecordKind.SYNC_MARK);
  let position = mark?.syncedBytes ?? framing.headerBytes;
  while (position < closed.syncedBytes) {
    const record = recordAt(file, framing, position);
    if (record.state !== "whole") return undefined;
    position += record.bytes;
  }
  return closed;
}

interface FoundRecords {
  readonly tally: SegmentTally;
  /** End of the last record kept. */
  readonly end: number;
  readonly lastMark: number;
  readonly skipped: number;
}

/** Counts what an unclosed file holds: by its chain of marks and the tail, or record by record where the chain is broken. */
function tallyOpenFile(file: SegmentSource, framing: SegmentFraming): FoundRecords {
  const tally = new SegmentTally(framing.fromUs);
  const mark = findLastMark(file, framing);
  const gops = mark === undefined ? undefined : gopsOfChain(file, framing, mark);
  if (mark === undefined || gops === undefined) {
    return scan(file, framing, tally, framing.headerBytes, mark?.progress.syncedBytes ?? 0);
  }
  tally.restore({ ...mark.progress, gops });
  return scan(file, framing, tally, mark.progress.syncedBytes, 0);
}

/**
 * Reads records from `from` on. Before `syncedBytes` a bad record is skipped, as it was whole once and more
 * follows; from there on the first bad record marks the power cut.
 */
function scan(
  file: SegmentSource,
  framing: SegmentFraming,
  tally: SegmentTally,
  from: number,
  syncedBytes: number,
): FoundRecords {
  let position = from;
  let lastMark = 0;
  let skipped = 0;
  while (position < file.bytes) {
    const record = recordAt(file, framing, position);
    if (record.state === "whole" && record.kind !== RecordKind.FOOTER) {
      if (record.kind === RecordKind.FRAME) tally.add(record, position);
      else lastMark = position;
      position += record.bytes;
      continue;
    }
    if (position >= syncedBytes) break;
    skipped += 1;
    tally.markDamaged();
    const next = record.state === "payload-damaged" ? position + record.bytes : undefined;
    const resumed = next ?? findNextMark(file, framing, position + 1, file.bytes);
    if (resumed === undefined) break;
    position = resumed;
  }
  return { tally, end: position, lastMark, skipped };
}

/**
 * What a file whose footer is damaged or missing holds, by its sync marks and frames; undefined when there is no whole
 * frame. The bytes behind the last whole record count as lost from its newest GOP.
 */
export function progressOfFrames(file: SegmentSource, framing: SegmentFraming): SegmentProgress | undefined {
  const found = tallyOpenFile(file, framing);
  if (found.tally.videoFrames + found.tally.audioFrames === 0) return undefined;
  if (found.end < file.bytes) found.tally.markDamaged();
  return progressOf(found, found.tally.toUs);
}

/**
 * Gives a closed file whose footer is damaged a new one, behind all it holds: nothing is cut or written over. It lasts
 * `durationUs`, up to where the stream's next segment begins, else to the end of its last frame. Throws SegmentFormatError when it holds no
 * whole frame or has a good footer, else the disk's error.
 */
export function closeAgain(disk: Disk, path: string, durationUs: number | undefined): void {
  const file = new OpenFile(disk, path, "r+");
  try {
    const framing = readFraming(file);
    if (closedProgress(file, framing) !== undefined) throw new SegmentFormatError("its footer is whole");
    const progress = progressOfFrames(file, framing);
    if (progress === undefined) throw new SegmentFormatError("it holds no whole frame");
    const lastUs = progress.gops.at(-1)?.decodeTimeUs ?? framing.fromUs;
    const endsUs = framing.fromUs + (durationUs ?? 0);
    const toUs = endsUs <= lastUs ? progress.toUs : endsUs;
    closeFile(disk, file, framing, file.bytes, { ...progress, toUs, syncedBytes: file.bytes });
    makeDurable(disk, file, path);
  } finally {
    file.close();
  }
}

function progressOf(found: FoundRecords, toUs: number): SegmentProgress {
  const { tally } = found;
  return {
    syncedBytes: found.end,
    previousMark: found.lastMark,
    toUs,
    videoFrames: tally.videoFrames,
    audioFrames: tally.audioFrames,
    continuedFrames: 0,
    continuedDamaged: false,
    gops: tally.gops,
  };
}

/** Cuts the tail, writes footer and trailer. Returns the file's size. */
function closeFile(
  disk: Disk,
  file: OpenFile,
  framing: SegmentFraming,
  end: number,
  progress: SegmentProgress,
): number {
  disk.ftruncateSync(file.fd, end);
  const bytes = Buffer.concat([packFooterRecord(framing, progress), packTrailer(end, framing.crcSeed)]);
  writeAll(disk, file.fd, bytes, end);
  return end + bytes.length;
}

/** The file's bytes and its name. */
function makeDurable(disk: Disk, file: OpenFile, path: string): void {
  disk.fdatasyncSync(file.fd);
  syncDirectory(disk, dirname(path));
}

function packFooterRecord(framing: SegmentFraming, progress: SegmentProgress): Buffer {
  const payload = packProgress(progress, framing);
  const header = Buffer.alloc(RECORD_HEADER_BYTES);
  writeRecordHeader(header, 0, {
    kind: RecordKind.FOOTER,
    payloadBytes: payload.length,
    codec: 0,
    flags: 0,
    presentationOffsetUs: 0,
    decodeTimeUs: progress.toUs,
  });
  writeRecordCrc(header, 0, crc32(payload, sealRecordHeader(header, 0, framing.crcSeed)));
  return Buffer.concat([header, payload]);
}

function remove(disk: Disk, path: string, reason: string): RecoveryOutcome {
  disk.unlinkSync(path);
  return { kind: "removed", reason };
}
