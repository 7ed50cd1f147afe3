import { NvrdError } from "../../base/index.js";
import { VolumeError } from "../disk/volume-thread.js";
import type {
  OpenedSegment,
  ReadableSegment,
  ReadResult,
  RecordRead,
  SegmentReading,
} from "../segment/segment-reading.js";

interface Open {
  readonly segment: ReadableSegment;
  readonly fromUs: number | undefined;
  /** Which copy is read. */
  at: number;
}

/**
 * Copies of a segment at several places, as one: when a copy cannot be opened or read, the next one is, also in the middle. They are
 * bit for bit the same, so a position in one is that in another.
 */
export class SegmentCopies implements SegmentReading {
  readonly #copies: readonly SegmentReading[];
  readonly #open = new Map<number, Open>();

  constructor(copies: readonly SegmentReading[]) {
    this.#copies = copies;
  }

  async open(segment: ReadableSegment, handle: number, fromUs?: number): Promise<OpenedSegment> {
    const open = { segment, fromUs, at: 0 };
    this.#open.set(handle, open);
    try {
      return await this.#openFrom(open, handle, undefined);
    } catch (error) {
      this.#open.delete(handle);
      throw error;
    }
  }

  async read(request: RecordRead): Promise<ReadResult> {
    const { handle } = request;
    for (;;) {
      const open = this.#open.get(handle);
      if (open === undefined) throw new VolumeError("CLOSED", "nobody reads it any more");
      const copy = this.#copies[open.at];
      if (copy === undefined) throw new VolumeError("ENOENT", "it is nowhere any more");
      try {
        return await copy.read(request);
      } catch (error) {
        if (!mayBeElsewhere(error) || this.#open.get(handle) !== open) throw error;
        copy.close(handle);
        open.at += 1;
        await this.#openFrom(open, handle, error);
      }
    }
  }

  close(handle: number): void {
    const open = this.#open.get(handle);
    this.#open.delete(handle);
    if (open !== undefined) this.#copies[open.at]?.close(handle);
  }

  /** The first copy that opens. Rejects with the error that leaves the most hope: one that may pass. */
  async #openFrom(open: Open, handle: number, before: unknown): Promise<OpenedSegment> {
    let failure = before;
    for (; open.at < this.#copies.length; open.at++) {
      const copy = this.#copies[open.at];
      try {
        const opened = await copy?.open(open.segment, handle, open.fromUs);
        if (opened !== undefined) return opened;
      } catch (error) {
        if (!mayBeElsewhere(error) || this.#open.get(handle) !== open) throw error;
        if (!isPassing(failure)) failure = error;
      }
    }
    throw failure;
  }
}

/** Not one that says that its reader has left. */
function mayBeElsewhere(error: unknown): boolean {
  return isPassing(error) || (error instanceof VolumeError && error.code !== "CLOSED");
}

function isPassing(error: unknown): boolean {
  return error instanceof NvrdError && error.code === "NOT_AVAILABLE";
}
