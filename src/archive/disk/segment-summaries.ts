/** The reader thread's reading of whole segments for the index: many headers and footers at once, or one segment to its last frame. */
import { join } from "node:path";
import {
  FLAG_KEY,
  isAudioCodecNumber,
  RECORD_HEADER_BYTES,
  RecordKind,
  SegmentFormatError,
  type SegmentFraming,
  type SegmentProgress,
  TRAILER_BYTES,
} from "../segment/segment-format.js";
import { closedProgress, readFraming, recordAt, type SegmentSource } from "../segment/segment-scan.js";
import { SegmentTally } from "../segment/segment-tally.js";
import { type Disk, errorCodeOf } from "./disk.js";
import { TO_THE_END } from "./native-disk.js";
import { OpenFile } from "./open-file.js";
import { progressOfFrames } from "./recovery.js";
import type { ReaderRequest, SummaryAnswer } from "./volume-messages.js";

/** Read from both ends of each file before anything else: a page holds the header, another one the footer of a minute. */
const EDGE_BYTES = 4096;

/** The error code of a segment without a whole footer; its frames may be whole. */
export const UNCLOSED = "UNCLOSED";

type SummariesRequest = Extract<ReaderRequest, { op: "summaries" }>;

/**
 * Reads each file's header and footer (`deep`: and every frame; `fromFrames`: where there is no footer, its frames). All reads
 * are announced to the disk first, so that it can choose the order.
 */
export function readSummaries(disk: Disk, directory: string, request: SummariesRequest): SummaryAnswer[] {
  const opened = request.files.map((paths) => tryTo(() => openFirst(disk, directory, paths)));
  for (const file of opened) {
    if (!(file instanceof OpenFile)) continue;
    disk.willNeed(file.fd, 0, EDGE_BYTES);
    disk.willNeed(file.fd, Math.max(0, file.bytes - EDGE_BYTES), EDGE_BYTES);
  }
  return opened.map((file) => {
    if (!(file instanceof OpenFile)) return file;
    try {
      return tryTo(() => summaryOf(file, request));
    } finally {
      if (request.deep) disk.dontNeed(file.fd, 0, TO_THE_END);
      file.close();
    }
  });
}

/** The first of the places in which the file is: it may move between them at any time. */
export function openFirst(
  disk: Disk,
  directory: string,
  paths: readonly string[],
  readBytesMin?: number,
): OpenFile {
  let missing: unknown;
  for (const path of paths) {
    try {
      return new OpenFile(disk, join(directory, path), "r", readBytesMin);
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT") throw error;
      missing = error;
    }
  }
  throw missing ?? new Error("no path given");
}

function summaryOf(file: OpenFile, { deep, fromFrames }: SummariesRequest): SummaryAnswer {
  const edges = new FileEdges(file);
  const framing = readFraming(edges);
  const header = (): Uint8Array => Uint8Array.from(edges.read(0, framing.headerBytes));
  const closed = wholeFooter(edges, framing);
  if (closed !== undefined) {
    if (deep) checkDeeply(file, framing, closed);
    return { header: header(), bytes: file.bytes, progress: closed, closed: true };
  }
  if (!fromFrames) return { code: UNCLOSED, message: "its footer is damaged or missing" };
  const progress = progressOfFrames(file, framing);
  if (progress === undefined) throw new SegmentFormatError("it holds no whole frame");
  return { header: header(), bytes: file.bytes, progress, closed: false };
}

/** The footer, if the file ends where footer and trailer say it does. */
function wholeFooter(source: SegmentSource, framing: SegmentFraming): SegmentProgress | undefined {
  const progress = closedProgress(source, framing);
  if (progress === undefined) return undefined;
  const record = source.read(progress.syncedBytes, RECORD_HEADER_BYTES);
  if (record.length < RECORD_HEADER_BYTES) return undefined;
  const end = progress.syncedBytes + RECORD_HEADER_BYTES + record.readUInt32LE(4) + TRAILER_BYTES;
  return end === source.bytes ? progress : undefined;
}

/** Both ends of a file, each read once; what lies elsewhere comes from the file itself. */
class FileEdges implements SegmentSource {
  readonly bytes: number;
  readonly #file: OpenFile;
  readonly #head: Buffer;
  readonly #tail: Buffer;
  readonly #tailFrom: number;

  constructor(file: OpenFile) {
    this.#file = file;
    this.bytes = file.bytes;
    this.#head = file.readExactly(0, EDGE_BYTES);
    this.#tailFrom = Math.max(0, file.bytes - EDGE_BYTES);
    this.#tail = file.readExactly(this.#tailFrom, EDGE_BYTES);
  }

  read(position: number, length: number): Buffer {
    const end = Math.min(this.bytes, position + length);
    if (end <= this.#head.length) return this.#head.subarray(position, Math.max(position, end));
    const from = position - this.#tailFrom;
    if (from >= 0) return this.#tail.subarray(from, Math.max(from, end - this.#tailFrom));
    return this.#file.read(position, length);
  }
}

/**
 * Checks every record of a closed segment against its footer: each is whole, each GOP starts with a key frame where the
 * table says so, frames and times are as counted. A bad record is accepted in a GOP that the table marks as damaged.
 */
function checkDeeply(file: SegmentSource, framing: SegmentFraming, footer: SegmentProgress): void {
  const tally = new SegmentTally(framing.fromUs);
  const keyFrames = new Set<number>();
  let isWhole = true;
  let newestUs = framing.fromUs;
  let position = framing.headerBytes;
  while (position < footer.syncedBytes) {
    const record = recordAt(file, framing, position);
    if (record.state !== "whole") {
      isWhole = false;
      position = afterDamage(footer, position);
      continue;
    }
    if (record.kind === RecordKind.FRAME) {
      if ((record.flags & FLAG_KEY) !== 0) keyFrames.add(position);
      tally.add(record, position);
      if (!isAudioCodecNumber(record.codec)) {
        if (record.decodeTimeUs < newestUs)
          throw new SegmentFormatError(`time goes back at byte ${position}`);
        newestUs = record.decodeTimeUs;
      }
    }
    position += record.bytes;
  }
  for (const gop of footer.gops) {
    if (!keyFrames.has(gop.offset)) throw new SegmentFormatError(`no key frame at byte ${gop.offset}`);
  }
  if (newestUs >= footer.toUs) throw new SegmentFormatError("a frame lies behind its end");
  if (isWhole) compareCounts(tally, footer);
}

/** Where reading continues behind a bad record. */
function afterDamage(footer: SegmentProgress, position: number): number {
  const at = footer.gops.findLastIndex((gop) => gop.offset <= position);
  if (footer.gops[at]?.damaged !== true) throw new SegmentFormatError(`damaged record at byte ${position}`);
  return footer.gops[at + 1]?.offset ?? footer.syncedBytes;
}

function compareCounts(tally: SegmentTally, footer: SegmentProgress): void {
  const { videoFrames, audioFrames, gops } = tally;
  const sameGops =
    gops.length === footer.gops.length &&
    gops.every(({ offset, decodeTimeUs, frames }, at) => {
      const noted = footer.gops[at];
      return noted?.offset === offset && noted.decodeTimeUs === decodeTimeUs && noted.frames === frames;
    });
  if (videoFrames !== footer.videoFrames || audioFrames !== footer.audioFrames || !sameGops)
    throw new SegmentFormatError("its footer counts other frames than it holds");
}

function tryTo<T>(run: () => T): T | { readonly code: string; readonly message: string } {
  try {
    return run();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: readErrorCode(error), message };
  }
}

/** The code of a failed read: of a format that is newer, of damage, or of the disk. */
export function readErrorCode(error: unknown): string {
  if (error instanceof SegmentFormatError) return error.newer ? "FORMAT_NEWER" : "DAMAGED";
  return errorCodeOf(error);
}
