import type { MaskState, Masks, WantedMask } from "../../../../src/camera/mask/mask-control.js";

/** Cameras that take every mask, and remember them for all channels alike. */
export class MemoryMasks implements Masks {
  #masks: MaskState["masks"] = [];

  async of(): Promise<MaskState> {
    const offer = { masksMax: 4, pointsMax: 8, isRectangleOnly: false, types: ["Color"] };
    return { offer, masks: this.#masks };
  }

  async replace(_channelId: string, wanted: readonly WantedMask[]): Promise<MaskState> {
    this.#masks = wanted.map(({ token, points, isEnabled }, at) => ({
      ...{ token: token ?? `mask_${at + 1}`, points, isEnabled, type: "Color", color: {} },
    }));
    return await this.of();
  }
}
