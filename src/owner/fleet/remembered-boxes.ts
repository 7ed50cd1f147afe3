import type { Guid } from "../../base/index.js";
import type { ChannelPlace } from "../../fleet/index.js";

/** Ids of work and files at recorders that a hub remembers. */
const REMEMBERED_MAX = 16_384;
/** Of one answer. */
const OF_ANSWER_MAX = 256;
const IDS = /"Id"\s?:\s?"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g;

/** At which recorder something is that was begun or listed through a hub: tasks, searches, files. The oldest is forgotten first. */
export class RememberedBoxes {
  readonly #boxes = new Map<Guid, Guid>();

  /** Notes what an answer of a recorder names. */
  note(boxId: Guid, answer: string): void {
    let count = 0;
    for (const [, id = ""] of answer.matchAll(IDS)) {
      count += 1;
      if (count > OF_ANSWER_MAX) return;
      this.#boxes.delete(id);
      this.#boxes.set(id, boxId);
      for (const oldest of this.#boxes.keys()) {
        if (this.#boxes.size <= REMEMBERED_MAX) break;
        this.#boxes.delete(oldest);
      }
    }
  }

  place(id: Guid): ChannelPlace | undefined {
    const boxId = this.#boxes.get(id);
    return boxId === undefined ? undefined : { boxId, ownId: id };
  }
}

const ofHubs = new WeakMap<object, RememberedBoxes>();

/** Those of the hub with this catalogue. */
export function rememberedBoxes(catalogue: object): RememberedBoxes {
  const known = ofHubs.get(catalogue) ?? new RememberedBoxes();
  ofHubs.set(catalogue, known);
  return known;
}
