/**
 * The writer thread's side of a volume: the segment files being written. It decides nothing: it is told what
 * to write where, computes the CRCs, syncs, closes, and answers with errors by slot.
 */

import { join } from "node:path";
import { crc32 } from "node:zlib";
import { type Disk, errorCodeOf, syncDirectory, writeAll } from "./disk.js";
import { NATIVE_MISSING } from "./native-disk.js";
import { PieceList } from "./piece-list.js";
import { RECORD_HEADER_BYTES, sealRecordHeader, writeRecordCrc } from "./segment-format.js";
import {
  BATCH_NUMBERS_BYTES,
  BATCH_NUMBERS_MAX,
  RAW,
  SCRATCH_SLAB,
  type SlotError,
  type WriterAnswer,
  type WriterMessage,
} from "./volume-messages.js";

/** Newest bytes of each segment left in the page cache for readers at the live edge. */
const CACHED_BYTES_PER_SEGMENT = 2 * 1024 * 1024;
/** Most buffers of one writev; Linux takes 1024. */
const PIECES_MAX = 512;
const PAGE_BYTES = 4096;

interface SlotFile {
  readonly fd: number;
  readonly path: string;
  readonly crcSeed: number;
  writtenBytes: number;
  syncedBytes: number;
  uncachedBytes: number;
  /** Whether the directory entry is durable. */
  entrySynced: boolean;
  error: SlotError | undefined;
}

interface Batch {
  readonly numbers: Float64Array;
  readonly scratch: Buffer;
}

export class SegmentFiles {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #answer: (answer: WriterAnswer) => void;
  readonly #files = new Map<number, SlotFile>();
  readonly #failed = new Map<number, SlotError>();
  readonly #slabs = new Map<number, Buffer>();
  readonly #batches: Batch[] = [];
  /** Slow jobs (fdatasync), one a turn, so that writes that come meanwhile go in between. */
  readonly #slowJobs: (() => void)[] = [];
  #slowJobRunning = false;
  #preallocates = true;

  constructor(disk: Disk, directory: string, answer: (answer: WriterAnswer) => void) {
    this.#disk = disk;
    this.#directory = directory;
    this.#answer = answer;
  }

  handle(message: Exclude<WriterMessage, { id: number }>): void {
    switch (message.op) {
      case "batch":
        this.#batches[message.index] = {
          numbers: new Float64Array(message.memory, 0, BATCH_NUMBERS_MAX),
          scratch: Buffer.from(message.memory, BATCH_NUMBERS_BYTES),
        };
        return;
      case "open":
        this.#open(message);
        return;
      case "write":
        this.#write(message);
        return;
      case "sync":
        this.#sync(message.slots);
        return;
      case "close":
        this.#addSlowJob(() => this.#close(message.slot, message.bytes));
        return;
      case "abandon":
        this.#addSlowJob(() => this.#abandon(message.slot));
        return;
    }
  }

  /** Moves closed segments from `open/` to their place. A lost rename is made up for by recovery: no sync here. */
  rename(files: readonly { from: string; to: string }[]): void {
    for (const file of files) {
      const from = join(this.#directory, file.from);
      const to = join(this.#directory, file.to);
      try {
        this.#disk.renameSync(from, to);
      } catch (error) {
        if (errorCodeOf(error) !== "ENOENT") throw error;
        this.#disk.mkdirSync(join(to, ".."), { recursive: true });
        try {
          this.#disk.renameSync(from, to);
        } catch (missing) {
          if (errorCodeOf(missing) !== "ENOENT") throw missing;
          // Retention or an earlier turn was quicker: there is nothing left to move.
        }
      }
    }
  }

  #open(message: Extract<WriterMessage, { op: "open" }>): void {
    const { slot, header } = message;
    let fd: number | undefined;
    try {
      fd = this.#disk.openSync(join(this.#directory, message.path), "wx+", 0o640);
      this.#preallocate(fd, message.preallocateBytes);
      writeAll(this.#disk, fd, header, 0);
      this.#files.set(slot, {
        fd,
        path: message.path,
        crcSeed: message.crcSeed,
        writtenBytes: header.length,
        syncedBytes: 0,
        uncachedBytes: 0,
        entrySynced: false,
        error: undefined,
      });
    } catch (error) {
      this.#failed.set(slot, slotError(slot, `create ${message.path}`, error));
      if (fd !== undefined) this.#closeQuietly(fd, message.path);
    }
  }

  #preallocate(fd: number, bytes: number): void {
    if (!this.#preallocates || bytes === 0) return;
    const error = this.#disk.fallocate(fd, 0, bytes);
    if (error === "" || error === "ENOSPC" || error === "EDQUOT") return;
    this.#preallocates = false;
    const reason = error === NATIVE_MISSING ? "the native addon or the call is missing" : error;
    this.#answer({ op: "note", message: `segments are not preallocated: ${reason}` });
  }

  #write(message: Extract<WriterMessage, { op: "write" }>): void {
    if (message.forgetSlabs) this.#slabs.clear();
    for (const slab of message.slabs) this.#slabs.set(slab.id, Buffer.from(slab.memory));
    const batch = this.#batches[message.batch];
    const errors: SlotError[] = [];
    if (batch !== undefined) {
      let at = 0;
      while (at < message.numbers) at = this.#writeRun(batch, at, errors);
    }
    for (const slab of message.slabs) if (slab.id < 0) this.#slabs.delete(slab.id);
    this.#answer({ op: "written", batch: message.batch, errors: errors.length === 0 ? undefined : errors });
  }

  /** Writes the run whose numbers start at `at`; answers where the next run's start. */
  #writeRun(batch: Batch, at: number, errors: SlotError[]): number {
    const { numbers } = batch;
    const slot = numbers[at] ?? 0;
    const position = numbers[at + 1] ?? 0;
    const records = numbers[at + 2] ?? 0;
    const file = this.#files.get(slot);
    const pieces = new PieceList(batch.scratch);
    let next = at + 3;
    for (let record = 0; record < records; record++) {
      next = this.#addRecord(batch, next, file?.crcSeed ?? 0, pieces);
    }
    const earlier = file === undefined ? this.#failed.get(slot) : file.error;
    if (file === undefined || earlier !== undefined) {
      errors.push(earlier ?? { slot, code: "EBADF", message: `segment slot ${slot} is not open` });
      return next;
    }
    try {
      this.#writePieces(file, pieces.finish(), position);
    } catch (error) {
      file.error = slotError(slot, `write ${file.path}`, error);
      errors.push(file.error);
    }
    return next;
  }

  #addRecord(batch: Batch, at: number, crcSeed: number, pieces: PieceList): number {
    const { numbers, scratch } = batch;
    const headerAt = numbers[at] ?? RAW;
    const ranges = numbers[at + 1] ?? 0;
    let crc = 0;
    if (headerAt !== RAW) {
      crc = sealRecordHeader(scratch, headerAt, crcSeed);
      pieces.addScratch(headerAt, headerAt + RECORD_HEADER_BYTES);
    }
    let next = at + 2;
    for (let range = 0; range < ranges; range++, next += 3) {
      const slabId = numbers[next] ?? 0;
      const offset = numbers[next + 1] ?? 0;
      const end = offset + (numbers[next + 2] ?? 0);
      const memory = slabId === SCRATCH_SLAB ? scratch : this.#slabs.get(slabId);
      if (memory === undefined) throw new Error(`slab ${slabId} was never made known`);
      const bytes = memory.subarray(offset, end);
      if (headerAt !== RAW) crc = crc32(bytes, crc);
      if (memory === scratch) pieces.addScratch(offset, end);
      else pieces.add(bytes);
    }
    if (headerAt !== RAW) writeRecordCrc(scratch, headerAt, crc);
    return next;
  }

  #writePieces(file: SlotFile, pieces: Buffer[], position: number): void {
    let at = position;
    let first = 0;
    while (first < pieces.length) {
      const some = pieces.length <= PIECES_MAX ? pieces : pieces.slice(first, first + PIECES_MAX);
      let length = 0;
      for (const piece of some) length += piece.length;
      const written = this.#disk.writevSync(file.fd, some, at);
      // A short write is rare (a full disk, a signal): the rest goes out piece by piece, and says why.
      if (written < length)
        writeAll(this.#disk, file.fd, Buffer.concat(some).subarray(written), at + written);
      at += length;
      first += some.length;
    }
    file.writtenBytes = at;
  }

  /** Starts write-back of all, then syncs one file a turn: the journal is committed once, and writes go in between. */
  #sync(slots: readonly number[]): void {
    const errors: SlotError[] = [];
    const done: number[] = [];
    for (const slot of slots) {
      const file = this.#files.get(slot);
      if (file !== undefined) {
        this.#disk.startWriteback(file.fd, file.syncedBytes, file.writtenBytes - file.syncedBytes);
      }
    }
    for (const slot of slots) {
      this.#addSlowJob(() => {
        const file = this.#files.get(slot);
        if (file === undefined || file.error !== undefined) return;
        if (this.#syncFile(slot, file)) done.push(slot);
        else if (file.error !== undefined) errors.push(file.error);
      });
    }
    this.#addSlowJob(() =>
      this.#answer({ op: "synced", slots: done, errors: errors.length === 0 ? undefined : errors }),
    );
  }

  #syncFile(slot: number, file: SlotFile): boolean {
    const written = file.writtenBytes;
    try {
      this.#disk.fdatasyncSync(file.fd);
      if (!file.entrySynced) {
        // A new file's name is durable only with its directory (fsync(2)).
        syncDirectory(this.#disk, join(this.#directory, "open"));
        for (const other of this.#files.values()) other.entrySynced = true;
      }
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: nothing more goes into this file.
      file.error = slotError(slot, `sync ${file.path}`, error);
      return false;
    }
    file.syncedBytes = written;
    this.#uncache(file, written - CACHED_BYTES_PER_SEGMENT);
    return true;
  }

  #uncache(file: SlotFile, end: number): void {
    const aligned = Math.floor(end / PAGE_BYTES) * PAGE_BYTES;
    if (aligned <= file.uncachedBytes) return;
    this.#disk.dontNeed(file.fd, file.uncachedBytes, aligned - file.uncachedBytes);
    file.uncachedBytes = aligned;
  }

  #close(slot: number, bytes: number): void {
    const file = this.#files.get(slot);
    if (file === undefined) {
      const error = this.#failed.get(slot) ?? {
        slot,
        code: "EBADF",
        message: `segment slot ${slot} is not open`,
      };
      this.#failed.delete(slot);
      this.#answer({ op: "closed", slot, error });
      return;
    }
    if (file.error === undefined) this.#finish(slot, file, bytes);
    this.#files.delete(slot);
    this.#closeQuietly(file.fd, file.path);
    this.#answer({ op: "closed", slot, error: file.error });
  }

  #finish(slot: number, file: SlotFile, bytes: number): void {
    try {
      this.#disk.ftruncateSync(file.fd, bytes);
      const allocated = this.#disk.fstatSync(file.fd).blocks * 512;
      // Not every file system lets preallocated space beyond the end go with a truncation to the same size.
      if (allocated > bytes + PAGE_BYTES) this.#disk.punchHole(file.fd, roundUp(bytes), allocated);
      this.#syncFile(slot, file);
    } catch (error) {
      file.error = slotError(slot, `close ${file.path}`, error);
    }
  }

  #abandon(slot: number): void {
    const file = this.#files.get(slot);
    this.#failed.delete(slot);
    this.#files.delete(slot);
    if (file !== undefined) this.#closeQuietly(file.fd, file.path);
  }

  #closeQuietly(fd: number, path: string): void {
    try {
      this.#disk.closeSync(fd);
    } catch (error) {
      // The descriptor is gone either way (close(2)); what matters was synced before.
      this.#answer({ op: "note", message: `close ${path}: ${errorCodeOf(error)}` });
    }
  }

  #addSlowJob(job: () => void): void {
    this.#slowJobs.push(job);
    if (this.#slowJobRunning) return;
    this.#slowJobRunning = true;
    setImmediate(() => this.#runSlowJob());
  }

  #runSlowJob(): void {
    this.#slowJobs.shift()?.();
    this.#slowJobRunning = this.#slowJobs.length > 0;
    if (this.#slowJobRunning) setImmediate(() => this.#runSlowJob());
  }
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}

function slotError(slot: number, what: string, error: unknown): SlotError {
  return {
    slot,
    code: errorCodeOf(error),
    message: `${what}: ${error instanceof Error ? error.message : String(error)}`,
  };
}
