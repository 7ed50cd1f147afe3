/**
 * The model of a volume's writer thread (native/volume/segment_files.cc), for simulated disks: it writes what it is given, computes the
 * CRCs, and reports errors by slot. `addon-thread.test.ts` holds both to each other.
 */

import { join } from "node:path";
import { type Disk, errorCodeOf, writeAll } from "../../../../src/archive/disk/disk.js";
import { NATIVE_MISSING } from "../../../../src/archive/disk/native-disk.js";
import {
  BATCH_NUMBERS_BYTES,
  BATCH_NUMBERS_MAX,
  RAW,
  SCRATCH_SLAB,
  type SlotError,
  type WriterAnswer,
  type WriterMessage,
} from "../../../../src/archive/disk/volume-messages.js";
import type { MountGuard } from "../../../../src/archive/disk/volume-mount.js";
import { payloadCrc, sealRecordHeader } from "../../../../src/archive/segment/record-crc.js";
import { RECORD_HEADER_BYTES, writeRecordCrc } from "../../../../src/archive/segment/segment-format.js";
import { slotError } from "./segment-syncs.js";

/** Most buffers of one writev; Linux takes 1024. */
const PIECES_MAX = 512;

interface SlotFile {
  readonly fd: number;
  readonly path: string;
  readonly crcSeed: number;
  error: SlotError | undefined;
}

interface Batch {
  readonly numbers: Float64Array;
  readonly scratch: Buffer;
}

export interface SegmentFilesOptions {
  readonly disk: Disk;
  /** The volume. */
  readonly directory: string;
  readonly guard: MountGuard;
  readonly answer: (answer: WriterAnswer) => void;
}

export class SegmentFiles {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #guard: MountGuard;
  readonly #answer: (answer: WriterAnswer) => void;
  readonly #files = new Map<number, SlotFile>();
  readonly #failed = new Map<number, SlotError>();
  readonly #slabs = new Map<number, Buffer>();
  readonly #batches: Batch[] = [];
  #preallocates = true;

  constructor(options: SegmentFilesOptions) {
    this.#disk = options.disk;
    this.#directory = options.directory;
    this.#guard = options.guard;
    this.#answer = options.answer;
  }

  handle(message: WriterMessage): void {
    switch (message.op) {
      case "pin":
        this.#guard.pin(message.place);
        return;
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
      case "release":
        this.#release(message.slot);
        return;
    }
  }

  #open(message: Extract<WriterMessage, { op: "open" }>): void {
    const { slot, header } = message;
    let fd: number | undefined;
    try {
      this.#guard.check();
      fd = this.#disk.openSync(join(this.#directory, message.path), "wx+", 0o640);
      this.#preallocate(fd, message.preallocateBytes);
      writeAll(this.#disk, fd, header, 0);
      this.#files.set(slot, {
        fd,
        path: message.path,
        crcSeed: message.crcSeed,
        error: undefined,
      });
    } catch (error) {
      const failure = slotError(slot, `create ${message.path}`, error);
      this.#failed.set(slot, fd === undefined ? { ...failure, isCreation: true } : failure);
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

  /** Writes the run whose numbers start at `at`; returns where the next run's start. */
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
      if (headerAt !== RAW) crc = payloadCrc(bytes, crc);
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
      // A short write is rare (a full disk, a signal): the rest is written piece by piece, which reveals the error.
      if (written < length)
        writeAll(this.#disk, file.fd, Buffer.concat(some).subarray(written), at + written);
      at += length;
      first += some.length;
    }
  }

  #release(slot: number): void {
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
}

/** The buffers of one writev; neighbouring ranges of scratch memory become one. */
class PieceList {
  readonly #scratch: Buffer;
  readonly #pieces: Buffer[] = [];
  #start = 0;
  #end = 0;

  constructor(scratch: Buffer) {
    this.#scratch = scratch;
  }

  addScratch(start: number, end: number): void {
    if (start !== this.#end || this.#end === this.#start) {
      this.#flush();
      this.#start = start;
    }
    this.#end = end;
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#flush();
    this.#pieces.push(bytes);
  }

  finish(): Buffer[] {
    this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    if (this.#end > this.#start) this.#pieces.push(this.#scratch.subarray(this.#start, this.#end));
    this.#start = 0;
    this.#end = 0;
  }
}
