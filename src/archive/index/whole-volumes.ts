import { type Guid, guidToBytes } from "../../base/index.js";
import type { IndexStore } from "./index-store.js";

const PREFIX = Buffer.from("whole ");
const MARK = Buffer.alloc(4, 1);

/** Which volumes the index holds all segments of; a note in its `meta` table each. */
export class WholeVolumes {
  readonly #store: () => IndexStore;

  constructor(store: () => IndexStore) {
    this.#store = store;
  }

  has(volumeId: Guid): boolean {
    return this.#store().tables.meta.get(keyOf(volumeId)) !== undefined;
  }

  add(volumeId: Guid): void {
    const { tables, generation } = this.#store();
    if (!this.has(volumeId)) tables.meta.put(keyOf(volumeId), MARK, generation);
  }

  remove(volumeId: Guid): void {
    const { tables, generation } = this.#store();
    if (this.has(volumeId)) tables.meta.delete(keyOf(volumeId), generation);
  }
}

function keyOf(volumeId: Guid): Buffer {
  return Buffer.concat([PREFIX, guidToBytes(volumeId)]);
}
