import { type Codec, isAudioCodec } from "../live/index.js";
import { holdsKeyPicture } from "./key-picture.js";

export interface GateFrame {
  readonly codec: Codec;
  readonly key: boolean;
  readonly damaged: boolean;
}

/**
 * Decides which frames a viewer can use: it starts, and starts again after a loss, at a whole key frame only.
 * A damaged key frame shuts the gate until the next whole one; other damaged frames pass.
 */
export class FrameGate {
  readonly #sound: boolean;
  #open = false;

  /** `sound`: audio passes, once video has started. */
  constructor(sound: boolean) {
    this.#sound = sound;
  }

  /** Frames were left out: nothing passes until the next whole key frame. */
  shut(): void {
    this.#open = false;
  }

  /** Whether the viewer gets this frame. `ranges`: its bytes, looked at when it is damaged. */
  admit(frame: GateFrame, ranges: readonly Uint8Array[]): boolean {
    if (isAudioCodec(frame.codec)) return this.#sound && this.#open;
    if (frame.damaged) this.#open &&= !frame.key && !holdsKeyPicture(frame.codec, ranges);
    else if (frame.key) this.#open = true;
    return this.#open;
  }
}
