import type { Frame, RecordedFrame } from "./frame.js";

/** Reads back frames that were released from memory. Never on the main thread. */
export interface FrameReader {
  /**
   * The same frames, in the same order and with the same fields, in other memory; each with one lease, the caller's. All of them
   * `isRecorded`. Rejects with NvrdError NOT_AVAILABLE or NOT_FOUND unless it has every one of them whole, as when `gone` is aborted.
   */
  read(frames: readonly RecordedFrame[], gone: AbortSignal): Promise<Frame[]>;
}
