import { boundBytes, type VolumeUse } from "../segment/volume-room.js";

/** Room kept below the bounds, as a multiple of what comes between two turns. */
const HEADROOM_FACTOR = 1.5;
/** When space is needed, it is freed for so many turns at once, so that the index is not written each turn. */
const TURNS_AHEAD = 5;
/** But no more than this share of the bound: recordings should be kept. */
const AHEAD_SHARE_MAX = 1 / 8;
const HEADROOM_SHARE_MAX = 1 / 2;
const GROWTH_DECAY = 0.9;

/** A volume's excess. */
export interface Excess {
  /** Bytes that must be removed. */
  readonly bytes: number;
  /** Bytes that are removed at once when something must be. */
  readonly wantedBytes: number;
}

const NO_EXCESS: Excess = { bytes: 0, wantedBytes: 0 };

/** Watches how fast a volume grows, so that its bounds hold between two turns of retention. */
export class VolumeGrowth {
  #usedBytes: number | undefined;
  /** Bytes that come between two turns. */
  #growthBytes = 0;

  /** What must be removed for the volume to stay within its bounds until the next turn. */
  excess(use: VolumeUse): Excess {
    const { usedBytes } = use;
    const grownBytes = Math.max(0, usedBytes - (this.#usedBytes ?? usedBytes));
    // The recent peak: streams grow in bursts, and those that pause resume.
    this.#growthBytes = Math.max(grownBytes, this.#growthBytes * GROWTH_DECAY);
    return excessBeyond(usedBytes, boundBytes(use), this.#growthBytes * HEADROOM_FACTOR);
  }

  /** The turn is over and left so much. */
  settle(usedBytes: number): void {
    this.#usedBytes = usedBytes;
  }
}

/** Where `usedBytes` grow by `growthBytes` a turn: what must go to stay below the bound until the next turn. */
function excessBeyond(usedBytes: number, boundBytes: number, growthBytes: number): Excess {
  // What recordings may hold, not the disk's size: on a disk that other files fill, the shares are of what these leave.
  const heldBytes = Math.max(0, boundBytes);
  const bytes = usedBytes + Math.min(growthBytes, heldBytes * HEADROOM_SHARE_MAX) - boundBytes;
  if (bytes <= 0) return NO_EXCESS;
  const ahead = Math.min(growthBytes * TURNS_AHEAD, heldBytes * AHEAD_SHARE_MAX);
  return { bytes, wantedBytes: Math.max(bytes, usedBytes + ahead - boundBytes) };
}
