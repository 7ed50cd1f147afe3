/**
 * The model of a volume's sync thread (native/volume/segment_syncs.cc), for simulated disks: makes durable what the writer has written,
 * closes segments and moves them to their place.
 */

import { join } from "node:path";
import { type Disk, errorCodeOf, syncDirectory } from "../../../../src/archive/disk/disk.js";
import { CACHED_BYTES_PER_SEGMENT, TO_THE_END } from "../../../../src/archive/disk/native-disk.js";
import type {
  SlotError,
  SyncerAnswer,
  SyncerMessage,
  SyncFile,
} from "../../../../src/archive/disk/volume-messages.js";
import type { MountGuard } from "../../../../src/archive/disk/volume-mount.js";

const PAGE_BYTES = 4096;
const BLOCK_BYTES = 512;
/** While many files are synced one after the other, progress is reported this often: the disk is slow, not hung. */
const PROGRESS_MS = 500;

interface SyncedFile {
  readonly fd: number;
  readonly path: string;
  syncedBytes: number;
  uncachedBytes: number;
  /** Whether the directory entry is durable. */
  entrySynced: boolean;
  error: SlotError | undefined;
}

export interface SegmentSyncsOptions {
  readonly disk: Disk;
  /** The volume. */
  readonly directory: string;
  readonly guard: MountGuard;
  readonly answer: (answer: SyncerAnswer) => void;
  /** A monotonic clock. */
  readonly nowMs: () => number;
}

export class SegmentSyncs {
  readonly #options: SegmentSyncsOptions;
  readonly #disk: Disk;
  readonly #files = new Map<number, SyncedFile>();

  constructor(options: SegmentSyncsOptions) {
    this.#options = options;
    this.#disk = options.disk;
  }

  handle(message: Exclude<SyncerMessage, { id: number }>): void {
    switch (message.op) {
      case "pin":
        this.#options.guard.pin(message.place);
        return;
      case "sync":
        this.#sync(message.files);
        return;
      case "close":
        this.#close(message);
        return;
      case "abandon":
        this.#abandon(message.slot);
        return;
    }
  }

  /** Moves closed segments from `open/` to their place. Recovery repairs a lost rename, so there is no sync here. */
  rename(files: readonly { from: string; to: string }[]): void {
    for (const file of files) {
      const from = join(this.#options.directory, file.from);
      const to = join(this.#options.directory, file.to);
      this.#uncacheWhole(from);
      try {
        this.#disk.renameSync(from, to);
      } catch (error) {
        if (errorCodeOf(error) !== "ENOENT") throw error;
        this.#options.guard.check();
        this.#disk.mkdirSync(join(to, ".."), { recursive: true });
        try {
          this.#disk.renameSync(from, to);
        } catch (missing) {
          if (errorCodeOf(missing) !== "ENOENT") throw missing;
          // Retention or an earlier turn moved or removed it already.
        }
      }
    }
  }

  /** Starts write-back of all, then syncs one file after the other: the first one commits the journal for all. */
  #sync(wanted: readonly SyncFile[]): void {
    const { answer, nowMs } = this.#options;
    const opened = wanted.map((file) => ({ ...file, file: this.#fileOf(file) }));
    for (const { file, bytes } of opened) {
      if (file.error === undefined)
        this.#disk.startWriteback(file.fd, file.syncedBytes, bytes - file.syncedBytes);
    }
    let slots: number[] = [];
    let errors: SlotError[] = [];
    let reportedMs = nowMs();
    for (const { slot, file, bytes } of opened) {
      if (this.#syncFile(slot, file, bytes)) slots.push(slot);
      else if (file.error !== undefined) errors.push(file.error);
      if (nowMs() - reportedMs < PROGRESS_MS) continue;
      answer({ op: "synced", slots, errors, last: false });
      reportedMs = nowMs();
      slots = [];
      errors = [];
    }
    answer({ op: "synced", slots, errors, last: true });
  }

  /** The open file of a slot; one that cannot be opened carries why. */
  #fileOf({ slot, path }: SyncFile): SyncedFile {
    const known = this.#files.get(slot);
    if (known !== undefined) return known;
    const file = { path, syncedBytes: 0, uncachedBytes: 0, entrySynced: false };
    try {
      const fd = this.#disk.openSync(join(this.#options.directory, path), "r+");
      const opened: SyncedFile = { ...file, fd, error: undefined };
      this.#files.set(slot, opened);
      return opened;
    } catch (error) {
      return { ...file, fd: -1, error: slotError(slot, `open ${path} for its sync`, error) };
    }
  }

  /** Makes the first `bytes` durable, which must have been written. */
  #syncFile(slot: number, file: SyncedFile, bytes: number): boolean {
    if (file.error !== undefined) return false;
    try {
      this.#disk.fdatasyncSync(file.fd);
      if (!file.entrySynced) {
        // A new file's name is durable only with its directory (fsync(2)).
        syncDirectory(this.#disk, join(this.#options.directory, "open"));
        for (const other of this.#files.values()) other.entrySynced = true;
      }
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: nothing more goes into this file.
      file.error = slotError(slot, `sync ${file.path}`, error);
      return false;
    }
    file.syncedBytes = bytes;
    this.#uncache(file, bytes - CACHED_BYTES_PER_SEGMENT);
    return true;
  }

  #uncache(file: SyncedFile, end: number): void {
    const aligned = Math.floor(end / PAGE_BYTES) * PAGE_BYTES;
    if (aligned <= file.uncachedBytes) return;
    this.#disk.dontNeed(file.fd, file.uncachedBytes, aligned - file.uncachedBytes);
    file.uncachedBytes = aligned;
  }

  /** A segment that is durable in the index is old: readers at the live edge have moved on. */
  #uncacheWhole(path: string): void {
    let fd: number;
    try {
      fd = this.#disk.openSync(path, "r");
    } catch (error) {
      if (errorCodeOf(error) !== "ENOENT") throw error;
      return; // moved by an earlier turn
    }
    this.#disk.dontNeed(fd, 0, TO_THE_END);
    this.#disk.closeSync(fd);
  }

  #close(wanted: SyncFile): void {
    const { slot, bytes } = wanted;
    const file = this.#fileOf(wanted);
    if (file.error === undefined) this.#finish(slot, file, bytes);
    this.#abandon(slot);
    this.#options.answer({ op: "closed", slot, error: file.error });
  }

  #finish(slot: number, file: SyncedFile, bytes: number): void {
    try {
      this.#disk.ftruncateSync(file.fd, bytes);
      const allocated = this.#disk.fstatSync(file.fd).blocks * BLOCK_BYTES;
      // Not every file system frees preallocated space beyond the end on a truncation to the same size.
      if (allocated > bytes + PAGE_BYTES) this.#disk.punchHole(file.fd, roundUp(bytes), allocated);
      this.#syncFile(slot, file, bytes);
    } catch (error) {
      file.error = slotError(slot, `close ${file.path}`, error);
    }
  }

  #abandon(slot: number): void {
    const file = this.#files.get(slot);
    if (file === undefined) return;
    this.#files.delete(slot);
    try {
      this.#disk.closeSync(file.fd);
    } catch (error) {
      // The descriptor is gone either way (close(2)); what matters was synced before.
      this.#options.answer({ op: "note", message: `close ${file.path}: ${errorCodeOf(error)}` });
    }
  }
}

/** A slot's failure as the threads report it. */
export function slotError(slot: number, what: string, error: unknown): SlotError {
  const message = error instanceof Error ? error.message : String(error);
  return { slot, code: errorCodeOf(error), message: `${what}: ${message}` };
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}
