import { type Codec, isAudioCodec } from "../../live/index.js";

export interface GateFrame {
  readonly codec: Codec;
  readonly key: boolean;
  readonly undecodable: boolean;
}

/**
 * Decides which frames a viewer can use: it starts, and starts again after a loss, at a whole key frame only.
 * An undecodable frame shuts the gate until the next whole key frame; damaged frames that can be decoded pass.
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

  /** Whether the viewer gets this frame. */
  admit(frame: GateFrame): boolean {
    if (isAudioCodec(frame.codec)) return this.#sound && this.#open;
    if (frame.undecodable) this.#open = false;
    else if (frame.key) this.#open = true;
    return this.#open;
  }
}
