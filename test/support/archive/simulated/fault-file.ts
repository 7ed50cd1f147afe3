import type { SeededRandom } from "../../base/seeded-random.js";

/** What a sector of a disk writes whole or not at all. */
export const SECTOR_BYTES = 512;
export const BLOCK_BYTES = 4096;

/** A change of a file that no sync has made durable yet. */
type Change =
  | { readonly kind: "write"; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly size: number };

/** How much of what was not synced is there after a power cut. */
export type TearMode = "all" | "none" | "prefix" | "writes" | "sectors";

export interface TearOptions {
  readonly mode: TearMode;
  readonly random: SeededRandom;
  /** What blocks hold that were given to the file and never written: stale bytes of others; else zeros. */
  readonly stale: Buffer | undefined;
}

/** Bytes that grow. */
class Content {
  #memory: Buffer;
  size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#memory = Buffer.from(bytes);
    this.size = bytes.length;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.size);
  }

  write(offset: number, bytes: Uint8Array): void {
    this.#reserve(offset + bytes.length);
    this.#memory.set(bytes, offset);
    this.size = Math.max(this.size, offset + bytes.length);
  }

  truncate(size: number): void {
    this.#reserve(size);
    if (size < this.size) this.#memory.fill(0, size, this.size);
    this.size = size;
  }

  #reserve(size: number): void {
    if (size <= this.#memory.length) return;
    const grown = Buffer.alloc(Math.max(size, 2 * this.#memory.length, BLOCK_BYTES));
    grown.set(this.bytes, 0);
    this.#memory = grown;
  }
}

/**
 * A file of the fault disk: what programs see of it, what the disk has of it, and the changes between the two in
 * the order they were made.
 */
export class FaultFile {
  readonly #live: Content;
  readonly #durable: Content;
  #changes: Change[] = [];
  #reservedEnd = 0;
  /** Pages that a failed sync took from the way to the disk, while readers still see them. */
  #hasLostPages = false;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#live = new Content(bytes);
    this.#durable = new Content(bytes);
  }

  get size(): number {
    return this.#live.size;
  }

  get bytes(): Buffer {
    return this.#live.bytes;
  }

  /** Bytes of the disk it takes. */
  get allocatedBytes(): number {
    return roundUp(Math.max(this.#live.size, this.#reservedEnd));
  }

  get isDirty(): boolean {
    return this.#changes.length > 0;
  }

  /** Whether a sync would change the file's size on the disk: then a journal commit goes with it. */
  get isSizeDirty(): boolean {
    return this.#live.size !== this.#durable.size;
  }

  read(target: Uint8Array, offset: number): number {
    const end = Math.min(this.#live.size, offset + target.length);
    if (end <= offset) return 0;
    target.set(this.#live.bytes.subarray(offset, end), 0);
    return end - offset;
  }

  write(bytes: Uint8Array, offset: number): void {
    const copy = Buffer.from(bytes);
    this.#live.write(offset, copy);
    this.#changes.push({ kind: "write", offset, bytes: copy });
  }

  truncate(size: number): void {
    // Space reserved beyond the end goes with a real truncation only, as on ext4.
    if (size < this.#live.size) this.#reservedEnd = 0;
    this.#live.truncate(size);
    this.#changes.push({ kind: "truncate", size });
  }

  /** fallocate(2) with KEEP_SIZE. */
  reserve(end: number): void {
    this.#reservedEnd = Math.max(this.#reservedEnd, end);
  }

  /** fallocate(2) with PUNCH_HOLE and KEEP_SIZE. */
  punch(offset: number, length: number): void {
    if (offset + length >= this.#reservedEnd) this.#reservedEnd = Math.min(this.#reservedEnd, offset);
    const end = Math.min(this.#live.size, offset + length);
    if (end > offset) this.write(Buffer.alloc(end - offset), offset);
  }

  sync(): void {
    for (const change of this.#changes) apply(this.#durable, change);
    this.#changes = [];
  }

  /** A sync that fails: some of the pages are dropped for good; readers may see them until they are evicted. */
  failSync(random: SeededRandom): void {
    this.#changes = this.#changes.filter(() => random.chance(0.5));
    this.#hasLostPages = true;
    if (random.chance(0.5)) this.evict();
  }

  /** Lets clean pages go (POSIX_FADV_DONTNEED): what a failed sync has dropped is seen no longer. */
  evict(): void {
    if (!this.#hasLostPages) return;
    this.#hasLostPages = false;
    const seen = new Content(this.#durable.bytes);
    for (const change of this.#changes) apply(seen, change);
    this.#live.truncate(0);
    this.#live.write(0, seen.bytes);
  }

  /** The file as the next boot finds it after a power cut. */
  torn(options: TearOptions): FaultFile {
    const content = new Content(this.#durable.bytes);
    for (const change of keptChanges(this.#changes, options)) {
      const gap = content.size;
      apply(content, change);
      if (change.kind !== "write" || change.offset <= gap || options.stale === undefined) continue;
      content.write(gap, staleBytes(options.stale, change.offset - gap));
    }
    return new FaultFile(content.bytes);
  }
}

function apply(content: Content, change: Change): void {
  if (change.kind === "write") content.write(change.offset, change.bytes);
  else content.truncate(change.size);
}

function keptChanges(changes: readonly Change[], options: TearOptions): readonly Change[] {
  const { mode, random } = options;
  switch (mode) {
    case "all":
      return changes;
    case "none":
      return [];
    case "prefix":
      return prefixOf(changes, random);
    case "writes":
      return changes.filter(() => random.chance(0.5));
    case "sectors":
      return changes.flatMap((change) => (change.kind === "write" ? sectorsOf(change, random) : [change]));
  }
}

/** The changes up to one of them, which is cut at any byte. */
function prefixOf(changes: readonly Change[], random: SeededRandom): readonly Change[] {
  const whole = random.below(changes.length + 1);
  const kept = changes.slice(0, whole);
  const next = changes[whole];
  if (next?.kind !== "write") return kept;
  return [...kept, { ...next, bytes: next.bytes.subarray(0, random.below(next.bytes.length + 1)) }];
}

/** Those parts of a write, cut at the disk's sectors, that reached the disk: in runs, each kept or not. */
function sectorsOf(change: Extract<Change, { kind: "write" }>, random: SeededRandom): Change[] {
  const parts: Change[] = [];
  const end = change.offset + change.bytes.length;
  for (let at = change.offset; at < end; ) {
    const sectors = random.between(1, 8);
    const next = Math.min(end, (Math.floor(at / SECTOR_BYTES) + sectors) * SECTOR_BYTES);
    if (random.chance(0.6)) {
      const bytes = change.bytes.subarray(at - change.offset, next - change.offset);
      parts.push({ kind: "write", offset: at, bytes });
    }
    at = next;
  }
  return parts;
}

function staleBytes(stale: Buffer, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (stale.length > 0) for (let at = 0; at < length; at += stale.length) stale.copy(bytes, at);
  return bytes;
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}
