/** The reader thread's side of a volume: reads with checked CRCs, listings, recovery, removal. It keeps only open files. */
import { dirname, join } from "node:path";
import { checkRecords } from "../segment/record-check.js";
import type { SegmentFraming } from "../segment/segment-format.js";
import { readSegmentFormats } from "../segment/segment-header.js";
import type { OpenedSegment, ReadResult } from "../segment/segment-reading.js";
import { readFraming } from "../segment/segment-scan.js";
import { spaceOf, type VolumeSpace } from "../segment/volume-space.js";
import { type Disk, errorCodeOf, syncDirectory } from "./disk.js";
import { CACHED_BYTES_PER_SEGMENT, TO_THE_END } from "./native-disk.js";
import { closeAgain, recoverSegment } from "./recovery.js";
import { listCopies, placeCopy, readPiece, writePiece } from "./segment-copying.js";
import { openFirst, readSummaries } from "./segment-summaries.js";
import { appendToSideFile, listSideFiles } from "./side-files.js";
import { identifyVolume } from "./volume-identity.js";
import { listClosedInOpen, listDay, listDays } from "./volume-listing.js";
import type { IdentifyRequest, IdentifyResult, ReaderRequest, ReaderResults } from "./volume-messages.js";
import { MountGuard } from "./volume-mount.js";
import { readNote, replaceNote } from "./volume-note.js";

/** Data that a reader has read is dropped from the page cache in steps of this. */
const UNCACHE_STEP_BYTES = 1024 * 1024;
/** For a header alone: the memory of each read waits for V8, and readers come by the dozen. */
const HEADER_READ_BYTES = 4096;

/** What needs no look at the directory: it identifies it, or is of files that are open. */
const WITHOUT_DIRECTORY: ReadonlySet<ReaderRequest["op"]> = new Set(["identify", "read", "close-segment"]);

interface OpenSegmentFile {
  readonly fd: number;
  readonly framing: SegmentFraming;
  /** The page cache is left as it is. */
  readonly leavesCache: boolean;
  /** Bytes from the start that were dropped from the page cache. */
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

  /** Throws VolumeGoneError where the directory is another disk's: nothing is put there, and no file is gone. */
  handle(request: ReaderRequest): ReaderResults[ReaderRequest["op"]] {
    if (!WITHOUT_DIRECTORY.has(request.op)) this.#guard.check();
    switch (request.op) {
      case "identify":
        return this.#identify(request.request);
      case "open-segment":
        return this.#openSegment(request);
      case "read":
        return this.#read(request);
      case "close-segment":
        return this.#closeSegment(request.handle);
      case "recover":
        return recoverSegment(this.#disk, join(this.#directory, request.path), request);
      case "list-days":
        return listDays(this.#disk, this.#directory);
      case "list-day":
        return listDay(this.#disk, this.#directory, request.path);
      case "list-open":
        return listClosedInOpen(this.#disk, this.#directory);
      case "summaries":
        return readSummaries(this.#disk, this.#directory, request);
      case "close-again":
        return this.#closeAgain(request.paths, request.durationUs);
      case "header":
        return this.#header(request.paths);
      case "unlink":
        return this.#unlink(request.paths);
      case "read-piece":
        return readPiece(this.#disk, this.#directory, request);
      case "write-piece":
        return writePiece(this.#disk, this.#directory, request);
      case "place-copy":
        return placeCopy(this.#disk, this.#directory, request);
      case "list-copies":
        return listCopies(this.#disk, this.#directory);
      case "read-note":
        return readNote(this.#disk, join(this.#directory, request.name));
      case "replace-note":
        return replaceNote(this.#disk, join(this.#directory, request.name), request.text);
      case "list-side-files":
        return listSideFiles(this.#disk, this.#directory, request);
      case "append-side-file":
        return appendToSideFile(this.#disk, this.#directory, request);
      case "space":
        return this.#space();
    }
  }

  #identify(request: IdentifyRequest): IdentifyResult {
    const found = identifyVolume(this.#disk, this.#directory, request);
    this.#guard.pin(found.place);
    return found;
  }

  #openSegment({
    handle,
    paths,
    leavesCache = false,
  }: Extract<ReaderRequest, { op: "open-segment" }>): OpenedSegment {
    const file = openFirst(this.#disk, this.#directory, paths, HEADER_READ_BYTES);
    try {
      const framing = readFraming(file);
      this.#open.set(handle, { fd: file.fd, framing, leavesCache, uncachedBytes: 0 });
      const { headerBytes, fromUs, provisionalOffsetUs } = framing;
      const formats = readSegmentFormats(file.read(0, headerBytes), headerBytes);
      return { headerBytes, fromUs, provisionalOffsetUs, ...formats };
    } catch (error) {
      file.close();
      throw error;
    }
  }

  #read(request: Extract<ReaderRequest, { op: "read" }>): ReadResult {
    const file = this.#open.get(request.handle);
    if (file === undefined) throw new Error(`reader ${request.handle} has no open segment`);
    const memory = Buffer.from(request.memory, request.memoryOffset ?? 0);
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
    if (!file.leavesCache) this.#disk.dontNeed(file.fd, 0, TO_THE_END);
    this.#disk.closeSync(file.fd);
    return undefined;
  }

  /** Playing the archive must not push everything else out of memory; at the live edge other readers read the same data. */
  #uncache(file: OpenSegmentFile, position: number, limit: number): void {
    const end = Math.min(position, limit - CACHED_BYTES_PER_SEGMENT);
    if (file.leavesCache || end - file.uncachedBytes < UNCACHE_STEP_BYTES) return;
    this.#disk.dontNeed(file.fd, file.uncachedBytes, end - file.uncachedBytes);
    file.uncachedBytes = end;
  }

  #closeAgain(paths: readonly string[], durationUs: number | undefined): undefined {
    const found = paths.find((path) => this.#exists(path)) ?? paths[0] ?? "";
    closeAgain(this.#disk, join(this.#directory, found), durationUs);
    return undefined;
  }

  #exists(path: string): boolean {
    try {
      this.#disk.statSync(join(this.#directory, path));
      return true;
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT") throw error;
      return false;
    }
  }

  #header(paths: readonly string[]): Uint8Array {
    const file = openFirst(this.#disk, this.#directory, paths, HEADER_READ_BYTES);
    try {
      return Uint8Array.from(file.read(0, readFraming(file).headerBytes));
    } finally {
      file.close();
    }
  }

  /** Returns only when the removal is durable: the index forgets the file then, and nothing would remove it again. */
  #unlink(paths: readonly string[]): undefined {
    // Each in turn, also one that comes twice: the file may be moved there from the one before.
    const left = paths.filter((path) => this.#unlinkOne(path));
    // A file that was gone already may have gone a moment ago, in a request that failed half-way.
    for (const path of new Set(left.length > 0 ? left : paths)) this.#syncNearest(dirname(path));
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

  #space(): VolumeSpace {
    return spaceOf(this.#disk.statfsSync(this.#directory));
  }
}
