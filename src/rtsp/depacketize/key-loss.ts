import type { AccessUnitEnd } from "./access-unit.js";

/**
 * Decides whether a loss included a key frame. For a damaged unit, what is left of it decides. A loss between units may
 * be a whole key frame: it counts as one if it has at least half as many packets as the newest whole key frame, because
 * key frames of one scene have similar sizes and are many times larger than other frames.
 */
export class KeyLoss {
  #newestKeyPackets = Number.POSITIVE_INFINITY;

  /**
   * Records each unit, once. `key`: it is a whole key frame. `keySign`: data in it, or since the previous unit, belongs
   * to a key picture. `dropped`: there was no memory for its bytes.
   */
  costsKeyFrame(
    end: AccessUnitEnd,
    unit: { readonly key: boolean; readonly keySign: boolean; readonly dropped: boolean },
  ): boolean {
    if (unit.key) {
      this.#newestKeyPackets = end.packets;
      return false;
    }
    if (unit.keySign && (end.damaged || end.afterLoss || unit.dropped)) return true;
    return end.afterLoss && 2 * end.gapPackets >= this.#newestKeyPackets;
  }
}
