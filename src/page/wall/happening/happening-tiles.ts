import type { StateMessage } from "../../../contract/answer/index.js";

type SeenKind = StateMessage["seen"][number];

/** So long a camera stays after the last that was seen there: somebody looks at it. */
export const STAYS_MS = 20_000;

/** What is of the box and its wires, and is no reason to look at a picture. */
const NOTHING_TO_SEE: readonly SeenKind[] = [
  "input",
  "relay",
  "temperature",
  "storageFailure",
  "refusedLogin",
  "zoneLeft",
];

/** Whether somebody would want to see it. */
export function isHappening(kind: SeenKind): boolean {
  return !NOTHING_TO_SEE.includes(kind);
}

/** Which cameras have a tile, because something happens there: a camera keeps its place, and stays for a while after. */
export class HappeningTiles {
  readonly #max: number;
  /** In the order of the tiles, with when something was seen last. */
  #shown: readonly { readonly id: string; readonly lastMs: number }[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** Of cameras that are gone, or may not be watched any more, nothing stays. */
  keepOnly(isThere: (id: string) => boolean): void {
    this.#shown = this.#shown.filter(({ id }) => isThere(id));
  }

  /** `now`: those where something happens. The cameras by tile. */
  arrange(now: readonly string[], nowMs: number): readonly string[] {
    const kept = this.#shown
      .map(({ id, lastMs }) => ({ id, lastMs: now.includes(id) ? nowMs : lastMs }))
      .filter(({ lastMs }) => nowMs - lastMs < STAYS_MS);
    const fresh = now.filter((id) => !kept.some((one) => one.id === id));
    for (const id of fresh) {
      if (kept.length < this.#max) kept.push({ id, lastMs: nowMs });
      else {
        // The one that is quiet for the longest makes room; where all are busy, the new one waits.
        const quiet = kept.filter(({ lastMs }) => lastMs < nowMs).toSorted((a, b) => a.lastMs - b.lastMs)[0];
        if (quiet === undefined) break;
        kept[kept.indexOf(quiet)] = { id, lastMs: nowMs };
      }
    }
    this.#shown = kept;
    return kept.map(({ id }) => id);
  }
}
