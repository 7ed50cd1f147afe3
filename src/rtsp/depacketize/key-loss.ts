import type { AccessUnitEnd } from "./access-unit.js";

/**
 * Decides whether a loss cost a key frame. A damaged unit tells by what is left of it. A loss between units may have
 * swallowed a whole key frame: it is taken for one when it is at least half as long as the newest whole key frame
 * was, since key frames of one scene are of like size and many times longer than what refers to them.
 */
export class KeyLoss {
  #newestKeyPackets = Number.POSITIVE_INFINITY;

  /**
   * Records each unit, once. `key`: it is a whole key frame. `keySign`: something in it, or before it since the
   * unit before, belongs to a key picture. `dropped`: its bytes did not fit memory.
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
