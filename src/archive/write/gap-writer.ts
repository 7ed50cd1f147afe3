import type { Frame } from "../../live/index.js";
import { TakeLevel } from "./held-frames.js";
import type { SegmentedStreamWriter } from "./stream-writer.js";

/** Share of what a volume may hold back that gap filling leaves to recording. */
const HELD_SHARE_MAX = 0.25;

/**
 * Writes what a camera kept into a gap of its recording, at the times of the frames: into fragments whose ids say where they come
 * from. The stream's own writer goes on beside it. Whoever feeds it asks `isBusy` first, so that recording never waits for it.
 */
export class GapWriter {
  readonly #writer: SegmentedStreamWriter;
  readonly #onEnd: () => void;

  constructor(writer: SegmentedStreamWriter, onEnd: () => void) {
    this.#writer = writer;
    this.#onEnd = onEnd;
  }

  /** The volume has enough to do with what is recorded now. */
  get isBusy(): boolean {
    const volume = this.#writer.volume?.writer;
    if (volume === undefined) return false;
    return volume.level !== TakeLevel.ALL || volume.heldBytes > volume.heldBytesMax * HELD_SHARE_MAX;
  }

  /** Pictures that were not written. */
  get framesLost(): number {
    const { losses } = this.#writer;
    return losses.framesDropped + losses.framesThinned;
  }

  /** Takes a frame as `StreamWriter.append` does; their times rise. */
  append(frame: Frame): void {
    this.#writer.append(frame);
  }

  /** Closes the segment: what was appended is durable when it resolves, and ends before `beforeUs`. */
  async end(beforeUs: number): Promise<void> {
    try {
      await this.#writer.end(beforeUs);
    } finally {
      this.#onEnd();
    }
  }
}
