export interface GateFrame {
  readonly isAudio: boolean;
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

  /** Whether the viewer gets this frame. */
  admit(frame: GateFrame): boolean {
    if (frame.isAudio) return this.#sound && this.#open;
    if (frame.key) this.#open = !frame.damaged;
    return this.#open;
  }
}
