import { crc32 } from "node:zlib";

export interface TableEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

export interface KeyRange {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly inclusiveEnd: true;
  readonly reverse: boolean;
}

/** The committed records below a table, each with its checksum: a database of LMDB. */
export interface TableBase {
  get(key: Buffer): Buffer | undefined;
  getRange(range: KeyRange): Iterable<TableEntry>;
  /** With its `entryCount`. */
  getStats(): object;
}

/** A put (`value`) or a removal (undefined) that LMDB does not hold yet. */
export interface TableChange {
  readonly key: Buffer;
  readonly value: Buffer | undefined;
  readonly generation: number;
}

export interface IndexTableOptions {
  readonly name: string;
  /** Without one the table lives in memory alone. */
  readonly base: TableBase | undefined;
  /** Called with each record below whose checksum is wrong; it is passed over. */
  readonly onDamage: (table: string, key: Buffer) => void;
}

const CRC_BYTES = 4;
/** CRC-32 of any bytes followed by their own CRC-32 in little-endian order. */
const CRC_RESIDUE = 0x2144df1c;

/**
 * One table of the index: LMDB's committed records below, changes not yet committed above, read as one. Values carry a
 * CRC-32 on disk, seeded by the key. Reads are synchronous; the table must not be changed inside a scan of it.
 */
export class IndexTable {
  readonly name: string;
  readonly #base: TableBase | undefined;
  readonly #onDamage: (table: string, key: Buffer) => void;
  readonly #changes = new Map<string, TableChange>();
  /** Keys of `#changes`, sorted; latin1 strings compare as their bytes do. */
  #order: string[] = [];

  constructor(options: IndexTableOptions) {
    this.name = options.name;
    this.#base = options.base;
    this.#onDamage = options.onDamage;
  }

  get(key: Buffer): Buffer | undefined {
    const change = this.#changes.size === 0 ? undefined : this.#changes.get(key.toString("latin1"));
    if (change !== undefined) return change.value;
    const sealed = this.#base?.get(key);
    return sealed === undefined ? undefined : this.#open(key, sealed);
  }

  put(key: Buffer, value: Buffer, generation: number): void {
    this.#change({ key, value, generation });
  }

  delete(key: Buffer, generation: number): void {
    this.#change({ key, value: undefined, generation });
  }

  /** First entry at or after `low` and not beyond `high`. */
  first(low: Buffer, high: Buffer): TableEntry | undefined {
    return this.#outermost(low, high, false);
  }

  /** Last entry at or before `high` and not below `low`. */
  last(low: Buffer, high: Buffer): TableEntry | undefined {
    return this.#outermost(low, high, true);
  }

  /** Most queries ask for one entry: what lies below alone is read without a generator. */
  #outermost(low: Buffer, high: Buffer, reverse: boolean): TableEntry | undefined {
    if (this.#base === undefined || this.#isChanged(low, high)) {
      for (const entry of this.scan(low, high, { reverse })) return entry;
      return undefined;
    }
    for (const { key, value: sealed } of this.#base.getRange(rangeOf(low, high, reverse))) {
      const value = this.#open(key, sealed);
      if (value !== undefined) return { key, value };
    }
    return undefined;
  }

  /** Entries of `[low, high]`, both included, in key order or against it. */
  scan(low: Buffer, high: Buffer, options?: { readonly reverse: boolean }): Iterable<TableEntry> {
    const reverse = options?.reverse === true;
    return this.#isChanged(low, high)
      ? this.#scanChanged(low, high, reverse)
      : this.#scanBase(low, high, reverse);
  }

  /** Whether changes that are not committed yet lie in `[low, high]`. */
  #isChanged(low: Buffer, high: Buffer): boolean {
    if (this.#order.length === 0) return false;
    return lowerBound(this.#order, low.toString("latin1")) < upperBound(this.#order, high.toString("latin1"));
  }

  *#scanChanged(low: Buffer, high: Buffer, reverse: boolean): Generator<TableEntry> {
    const from = lowerBound(this.#order, low.toString("latin1"));
    const to = upperBound(this.#order, high.toString("latin1"));
    const step = reverse ? -1 : 1;
    const stop = reverse ? from - 1 : to;
    let at = reverse ? to - 1 : from;
    for (const entry of this.#scanBase(low, high, reverse)) {
      const name = entry.key.toString("latin1");
      while (at !== stop && (reverse ? this.#nameAt(at) > name : this.#nameAt(at) < name)) {
        const change = this.#changes.get(this.#nameAt(at));
        at += step;
        if (change?.value !== undefined) yield { key: change.key, value: change.value };
      }
      if (at === stop || this.#nameAt(at) !== name) yield entry;
    }
    for (; at !== stop; at += step) {
      const change = this.#changes.get(this.#nameAt(at));
      if (change?.value !== undefined) yield { key: change.key, value: change.value };
    }
  }

  /**
   * Visits the entries of `[low, high]` in key order, without copying the value if possible: `value` may
   * have more bytes behind its own, so only rows of a fixed layout are read this way.
   */
  visit(low: Buffer, high: Buffer, visitor: (key: Buffer, value: Buffer) => void): void {
    if (this.#base === undefined || this.#isChanged(low, high)) {
      for (const { key, value } of this.scan(low, high)) visitor(key, value);
      return;
    }
    for (const { key, value } of this.#base.getRange(rangeOf(low, high, false))) {
      if (crc32(value, seedOf(key)) === CRC_RESIDUE) visitor(key, value);
      else this.#onDamage(this.name, key);
    }
  }

  /** All entries. */
  *all(): Generator<TableEntry> {
    yield* this.scan(KEY_LOWEST, KEY_HIGHEST);
  }

  get changeCount(): number {
    return this.#changes.size;
  }

  changes(): Iterable<TableChange> {
    return this.#changes.values();
  }

  /** Forgets the changes up to `generation`: LMDB has them now. */
  settle(generation: number): void {
    for (const [name, change] of this.#changes) {
      if (change.generation <= generation) this.#changes.delete(name);
    }
    this.#order = this.#order.filter((name) => this.#changes.has(name));
  }

  /** Entries committed below; undefined without LMDB. */
  committedCount(): number | undefined {
    if (this.#base === undefined) return undefined;
    const stats = this.#base.getStats() as { readonly entryCount?: number };
    return stats.entryCount;
  }

  *#scanBase(low: Buffer, high: Buffer, reverse: boolean): Generator<TableEntry> {
    if (this.#base === undefined) return;
    for (const { key, value: sealed } of this.#base.getRange(rangeOf(low, high, reverse))) {
      const value = this.#open(key, sealed);
      if (value !== undefined) yield { key, value };
    }
  }

  #open(key: Buffer, sealed: Buffer): Buffer | undefined {
    const value = openValue(key, sealed);
    if (value === undefined) this.#onDamage(this.name, key);
    return value;
  }

  #change(change: TableChange): void {
    const name = change.key.toString("latin1");
    if (!this.#changes.has(name)) {
      const at = lowerBound(this.#order, name);
      if (at === this.#order.length) this.#order.push(name);
      else this.#order.splice(at, 0, name);
    }
    this.#changes.set(name, change);
  }

  #nameAt(at: number): string {
    return this.#order[at] ?? "";
  }
}

function rangeOf(low: Buffer, high: Buffer, reverse: boolean): KeyRange {
  return reverse
    ? { start: high, end: low, inclusiveEnd: true, reverse }
    : { start: low, end: high, inclusiveEnd: true, reverse };
}

export const KEY_LOWEST = Buffer.from([0]);
export const KEY_HIGHEST = Buffer.alloc(32, 0xff);

/** The value as it lies in LMDB: with its checksum behind it. */
export function sealValue(key: Buffer, value: Buffer): Buffer {
  const sealed = Buffer.allocUnsafe(value.length + CRC_BYTES);
  value.copy(sealed);
  sealed.writeUInt32LE(crc32(value, seedOf(key)), value.length);
  return sealed;
}

/** The value without its checksum; undefined when that is wrong. */
export function openValue(key: Buffer, sealed: Buffer): Buffer | undefined {
  const length = sealed.length - CRC_BYTES;
  if (length < 0) return undefined;
  const value = sealed.subarray(0, length);
  return sealed.readUInt32LE(length) === crc32(value, seedOf(key)) ? value : undefined;
}

/** The CRC's start: the key's whole words, so that a record under a wrong key is detected. */
function seedOf(key: Buffer): number {
  let seed = key.length;
  for (let at = 0; at + 4 <= key.length; at += 4) seed = (Math.imul(seed, 31) ^ key.readUInt32BE(at)) >>> 0;
  return seed;
}

function lowerBound(order: readonly string[], name: string): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((order[middle] ?? "") < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function upperBound(order: readonly string[], name: string): number {
  const at = lowerBound(order, name);
  return order[at] === name ? at + 1 : at;
}
