import { type Codec, isAudioCodec } from "../../live/index.js";

export interface GateFrame {
  readonly codec: Codec;
  readonly key: boolean;
  readonly undecodable: boolean;
}

/**
 * Decides which frames a viewer can use: it starts, and restarts after a loss, only at a complete key frame. An undecodable
 * frame closes the gate until the next complete key frame; damaged but decodable frames pass.
 */
export class FrameGate {
  readonly #sound: boolean;
  #open = false;

  /** `sound`: audio passes, once video has started. */
  constructor(sound: boolean) {
    this.#sound = sound;
  }

  /** Closes the gate after dropped frames, until the next complete key frame. */
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
