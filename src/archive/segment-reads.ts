/** The reader thread's side of a volume: reads with checked CRCs, listings, recovery, removal. It keeps only open files. */
import { dirname, join } from "node:path";
import { type Disk, errorCodeOf, syncDirectory } from "./disk.js";
import { OpenFile } from "./open-file.js";
import { recoverSegment } from "./recovery.js";
import {
  FLAG_KEY,
  isRecordHeader,
  isRecordWhole,
  RECORD_HEADER_BYTES,
  RecordKind,
  SegmentFormatError,
  type SegmentFraming,
} from "./segment-format.js";
import { closedProgress, readFraming, recordAt } from "./segment-scan.js";
import { CACHED_BYTES_PER_SEGMENT, TO_THE_END } from "./segment-syncs.js";
import type {
  OpenedSegment,
  ReaderRequest,
  ReaderResults,
  ReadResult,
  SummaryResult,
} from "./volume-messages.js";
import { MountGuard } from "./volume-mount.js";
import { readNote, replaceNote } from "./volume-note.js";

const SEGMENT_FILE_PATTERN = /^[0-9a-f]{14}\.seg$/;
/** Most day directories listed; 64 channels with four streams kept for ten years. */
const DAYS_MAX = 1_000_000;

/** What a reader has read is let out of the page cache in steps of this. */
const UNCACHE_STEP_BYTES = 1024 * 1024;

interface OpenSegmentFile {
  readonly fd: number;
  readonly framing: SegmentFraming;
  /** Bytes from the start that were let out of the page cache. */
  uncachedBytes: number;
}

export class SegmentReads {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #guard: MountGuard;
  readonly #open = new Map<number, OpenSegmentFile>();

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
    this.#guard = new MountGuard(disk, directory);
  }

  handle(request: ReaderRequest): ReaderResults[ReaderRequest["op"]] {
    switch (request.op) {
      case "pin":
        this.#guard.pin(request.device);
        return undefined;
      case "open-segment":
        return this.#openSegment(request.handle, request.paths);
      case "read":
        return this.#read(request);
      case "close-segment":
        return this.#closeSegment(request.handle);
      case "recover":
        this.#guard.check();
        return recoverSegment(this.#disk, join(this.#directory, request.path), request);
      case "list-days":
        return this.#listDays();
      case "list-day":
        return this.#listSegmentFiles(request.path);
      case "list-open":
        return this.#listClosedInOpen();
      case "summary":
        return this.#summary(request.paths, request.deep);
      case "unlink":
        return this.#unlink(request.paths);
      case "read-note":
        return readNote(this.#disk, join(this.#directory, request.name));
      case "replace-note":
        return replaceNote(this.#disk, join(this.#directory, request.name), request.text);
      case "space":
        return this.#space();
    }
  }

  #openSegment(handle: number, paths: readonly string[]): OpenedSegment {
    const file = this.#openFirst(paths);
    try {
      const framing = readFraming(file);
      this.#open.set(handle, { fd: file.fd, framing, uncachedBytes: 0 });
      const { headerBytes, fromUs, provisionalOffsetUs } = framing;
      return { headerBytes, fromUs, provisionalOffsetUs };
    } catch (error) {
      file.close();
      throw error;
    }
  }

  #openFirst(paths: readonly string[]): OpenFile {
    let missing: unknown;
    for (const path of paths) {
      try {
        return new OpenFile(this.#disk, join(this.#directory, path), "r");
      } catch (error) {
        if (errorCodeOf(error) !== "ENOENT") throw error;
        missing = error; // the file may have moved between the places it can be in: the next one is tried
      }
    }
    throw missing ?? new Error("no path given");
  }

  #read(request: Extract<ReaderRequest, { op: "read" }>): ReadResult {
    const file = this.#open.get(request.handle);
    if (file === undefined) throw new Error(`reader ${request.handle} has no open segment`);
    const memory = Buffer.from(request.memory);
    const wanted = Math.max(0, Math.min(memory.length, request.limit - request.position));
    let filled = 0;
    while (filled < wanted) {
      const count = this.#disk.readSync(file.fd, memory, filled, wanted - filled, request.position + filled);
      if (count === 0) break;
      filled += count;
    }
    this.#uncache(file, request.position + filled, request.limit);
    const end = filled < wanted ? "missing" : filled < memory.length ? "reached" : "beyond";
    return checkRecords(memory.subarray(0, filled), file.framing, end);
  }

  #closeSegment(handle: number): undefined {
    const file = this.#open.get(handle);
    this.#open.delete(handle);
    if (file === undefined) return undefined;
    this.#disk.dontNeed(file.fd, 0, TO_THE_END);
    this.#disk.closeSync(file.fd);
    return undefined;
  }

  /** Playing the archive must not push everything else out of memory; at the live edge others read the same. */
  #uncache(file: OpenSegmentFile, position: number, limit: number): void {
    const end = Math.min(position, limit - CACHED_BYTES_PER_SEGMENT);
    if (end - file.uncachedBytes < UNCACHE_STEP_BYTES) return;
    this.#disk.dontNeed(file.fd, file.uncachedBytes, end - file.uncachedBytes);
    file.uncachedBytes = end;
  }

  #listDays(): string[] {
    const days: string[] = [];
    for (const channel of this.#directoriesIn("streams")) {
      for (const stream of this.#directoriesIn(channel)) {
        for (const day of this.#directoriesIn(stream)) {
          if (days.length >= DAYS_MAX) throw new Error(`more than ${DAYS_MAX} day directories`);
          days.push(day);
        }
      }
    }
    return days;
  }

  #directoriesIn(path: string): string[] {
    const entries = this.#disk.readdirSync(join(this.#directory, path), { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${path}/${entry.name}`)
      .sort();
  }

  #listSegmentFiles(path: string): string[] {
    return this.#disk
      .readdirSync(join(this.#directory, path))
      .filter((name) => SEGMENT_FILE_PATTERN.test(name))
      .sort();
  }

  /** Files of `open/` that are closed and wait for the index; those still written or torn are left out. */
  #listClosedInOpen(): Uint8Array[] {
    const headers: Uint8Array[] = [];
    for (const name of this.#listSegmentFiles("open")) {
      try {
        headers.push(this.#summary([`open/${name}`], false).header);
      } catch (error) {
        const expected = error instanceof SegmentFormatError || errorCodeOf(error) === "ENOENT";
        if (!expected) throw error; // being written, torn, or moved on just now: not closed
      }
    }
    return headers;
  }

  #summary(paths: readonly string[], deep: boolean): SummaryResult {
    const file = this.#openFirst(paths);
    try {
      const framing = readFraming(file);
      const progress = closedProgress(file, framing);
      if (progress === undefined)
        throw new SegmentFormatError("segment was not closed: footer or trailer is missing");
      if (deep) checkDeeply(file, framing, progress);
      if (deep) this.#disk.dontNeed(file.fd, 0, TO_THE_END);
      return { header: Uint8Array.from(file.read(0, framing.headerBytes)), bytes: file.bytes, progress };
    } finally {
      file.close();
    }
  }

  /** Answers when the file is gone for good: the index forgets it then, and nobody would remove it again. */
  #unlink(paths: readonly string[]): undefined {
    this.#guard.check(); // a file is not gone because its disk is
    const places = [...new Set(paths)];
    const left = places.filter((path) => this.#unlinkOne(path));
    // A file that was gone already may have gone a moment ago, in a request that failed half-way.
    for (const path of left.length > 0 ? left : places) this.#syncNearest(dirname(path));
    return undefined;
  }

  /** Whether the file was there. */
  #unlinkOne(path: string): boolean {
    try {
      this.#disk.unlinkSync(join(this.#directory, path));
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT") throw error; // gone already: that is what was asked for
      return false;
    }
    if (!path.startsWith("open/")) this.#removeIfEmpty(dirname(path));
    return true;
  }

  #removeIfEmpty(path: string): void {
    try {
      this.#disk.rmdirSync(join(this.#directory, path));
    } catch (error) {
      const code = errorCodeOf(error);
      // Not empty is the ordinary case: the day's other segments are still there.
      if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT") throw error;
    }
  }

  /** Makes the entries of a directory durable, or of the one above it that is still there. */
  #syncNearest(path: string): void {
    try {
      syncDirectory(this.#disk, join(this.#directory, path));
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT" || path === ".") throw error;
      this.#syncNearest(dirname(path));
    }
  }

  #space(): { totalBytes: number; freeBytes: number } {
    this.#guard.check();
    const space = this.#disk.statfsSync(this.#directory);
    return { totalBytes: space.blocks * space.bsize, freeBytes: space.bavail * space.bsize };
  }
}

/**
 * Walks the records in `bytes`. `end`: where the bytes wanted end, beyond these, with these, or the file ends
 * before; but for the first, a cut record is none.
 */
function checkRecords(
  bytes: Buffer,
  framing: SegmentFraming,
  end: "beyond" | "reached" | "missing",
): ReadResult {
  const atEnd = end !== "beyond";
  let at = 0;
  while (at + RECORD_HEADER_BYTES <= bytes.length) {
    if (!isRecordHeader(bytes, at, framing.crcSeed)) return { wholeBytes: at, damaged: true, neededBytes: 0 };
    const length = RECORD_HEADER_BYTES + bytes.readUInt32LE(at + 4);
    if (at + length > bytes.length) {
      return { wholeBytes: at, damaged: atEnd, neededBytes: at === 0 ? length : 0 };
    }
    if (!isRecordWhole(bytes, at, framing.crcSeed)) return { wholeBytes: at, damaged: true, neededBytes: 0 };
    at += length;
  }
  return { wholeBytes: at, damaged: end === "missing" || (atEnd && at < bytes.length), neededBytes: 0 };
}

/**
 * Checks every record of a closed segment against its footer: each is whole, each GOP starts with a key frame
 * where the table says so. A bad record is forgiven in a GOP that the table calls damaged.
 */
function checkDeeply(
  file: OpenFile,
  framing: SegmentFraming,
  progress: { syncedBytes: number } & GopBounds,
): void {
  const keyFrames = new Set<number>();
  let position = framing.headerBytes;
  while (position < progress.syncedBytes) {
    const record = recordAt(file, framing, position);
    if (record.state === "whole") {
      if (record.kind === RecordKind.FRAME && (record.flags & FLAG_KEY) !== 0) keyFrames.add(position);
      position += record.bytes;
      continue;
    }
    const at = progress.gops.findLastIndex((gop) => gop.offset <= position);
    if (progress.gops[at]?.damaged !== true)
      throw new SegmentFormatError(`damaged record at byte ${position}`);
    position = progress.gops[at + 1]?.offset ?? progress.syncedBytes;
  }
  for (const gop of progress.gops) {
    if (!keyFrames.has(gop.offset)) throw new SegmentFormatError(`no key frame at byte ${gop.offset}`);
  }
}

interface GopBounds {
  readonly gops: readonly { readonly offset: number; readonly damaged: boolean }[];
}
