import { type Guid, guidFromBytes, guidToBytes } from "../../base/index.js";
import type { IndexStore } from "./index-store.js";

const WHOLE = Buffer.from("whole ");
const DOUBTED = Buffer.from("doubted ");
const MARKED = Buffer.from("mark ");
const ID_BYTES = 16;
const MARK = Buffer.alloc(4, 1);

/**
 * Which volumes the index holds all segments of, and nothing else; notes in its `meta` table. The notes of an index that is opened are
 * claims: it may be older than the volumes. What is added before a claim is proven would make the index look up to date, so with
 * it, in one transaction, the volume becomes a doubted one: if the program ends before the proof, the two are compared.
 */
export class WholeVolumes {
  readonly #store: () => IndexStore;
  readonly #claimed = new Set<Guid>();

  constructor(store: () => IndexStore) {
    this.#store = store;
  }

  /** The store is that of an index that was opened. */
  opened(): void {
    const { meta } = this.#store().tables;
    const highest = Buffer.concat([WHOLE, Buffer.alloc(ID_BYTES, 0xff)]);
    for (const { key } of meta.scan(WHOLE, highest))
      this.#claimed.add(guidFromBytes(key.subarray(WHOLE.length)));
  }

  has(volumeId: Guid): boolean {
    return this.#claimed.has(volumeId) || this.#isNoted(WHOLE, volumeId);
  }

  /** Whether the index may lack segments of a volume and have some that are gone. */
  isDoubted(volumeId: Guid): boolean {
    return !this.#claimed.has(volumeId) && this.#isNoted(DOUBTED, volumeId);
  }

  /** Something is added of a volume. */
  noteAdded(volumeId: Guid): void {
    if (this.#claimed.has(volumeId)) this.#note(volumeId, DOUBTED);
  }

  /** What is noted of a volume is true of its files. */
  prove(volumeId: Guid): void {
    if (this.#claimed.has(volumeId)) this.add(volumeId);
  }

  add(volumeId: Guid): void {
    this.#claimed.delete(volumeId);
    this.#note(volumeId, WHOLE);
  }

  doubt(volumeId: Guid): void {
    this.#claimed.delete(volumeId);
    this.#note(volumeId, DOUBTED);
  }

  remove(volumeId: Guid): void {
    this.#claimed.delete(volumeId);
    this.#note(volumeId, undefined);
  }

  /** The mark that index and volume have in common; undefined: none yet. */
  markOf(volumeId: Guid): Guid | undefined {
    const bytes = this.#store().tables.meta.get(keyOf(MARKED, volumeId));
    return bytes === undefined ? undefined : guidFromBytes(bytes);
  }

  noteMark(volumeId: Guid, mark: Guid): void {
    const { tables, generation } = this.#store();
    tables.meta.put(keyOf(MARKED, volumeId), Buffer.from(guidToBytes(mark)), generation);
  }

  #note(volumeId: Guid, note: Buffer | undefined): void {
    const { tables, generation } = this.#store();
    for (const one of [WHOLE, DOUBTED]) {
      const key = keyOf(one, volumeId);
      if ((one === note) === this.#isNoted(one, volumeId)) continue;
      if (one === note) tables.meta.put(key, MARK, generation);
      else tables.meta.delete(key, generation);
    }
  }

  #isNoted(note: Buffer, volumeId: Guid): boolean {
    return this.#store().tables.meta.get(keyOf(note, volumeId)) !== undefined;
  }
}

function keyOf(note: Buffer, volumeId: Guid): Buffer {
  return Buffer.concat([note, guidToBytes(volumeId)]);
}
