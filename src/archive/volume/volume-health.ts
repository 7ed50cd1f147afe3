import type { Clock } from "../../base/index.js";
import type { SlotError } from "../disk/volume-messages.js";
import { VOLUME_GONE } from "../disk/volume-mount.js";
import type { WriterHealth } from "../write/volume-writer.js";

/** Errors that speak of room on the disk, not of its health. */
const SPACE_ERRORS = new Set(["ENOSPC", "EDQUOT"]);
/** How long a volume counts as full after it said so; retention works meanwhile. */
const FULL_US = 10_000_000;
/** So many failed segments, with nothing made durable in between, and the volume is given up. */
export const FAILURES_MAX = 3;

export interface VolumeHealthOptions {
  readonly clock: Clock;
  /** Called when a segment failed for another reason than want of room: the disk may be gone, which is to be noticed at once. */
  readonly onDoubt?: () => void;
  /** Called when the volume had better be left out. */
  readonly onGivenUp: (reason: string) => void;
}

/** Judges a volume by what becomes of its segments. */
export class VolumeHealth implements WriterHealth {
  readonly #options: VolumeHealthOptions;
  #failuresInRow = 0;
  #failures = 0;
  #fullSinceUs: number | undefined;
  #filesRefused = 0;

  constructor(options: VolumeHealthOptions) {
    this.#options = options;
  }

  /** Segments that failed since the start. */
  get failures(): number {
    return this.#failures;
  }

  /** Files since the start that could not be created for want of room. */
  get filesRefused(): number {
    return this.#filesRefused;
  }

  /** Whether it had no room recently: streams that can go elsewhere do. */
  get isFull(): boolean {
    if (this.#fullSinceUs === undefined) return false;
    return this.#options.clock.monotonicUs() - this.#fullSinceUs < FULL_US;
  }

  onSegmentFailure(error: SlotError): void {
    this.#failures += 1;
    if (SPACE_ERRORS.has(error.code)) {
      this.#fullSinceUs = this.#options.clock.monotonicUs();
      if (error.isCreation === true) this.#filesRefused += 1;
      return;
    }
    this.#failuresInRow += 1;
    this.#options.onDoubt?.();
    if (error.code !== VOLUME_GONE && this.#failuresInRow < FAILURES_MAX) return;
    this.#failuresInRow = 0;
    // Not within the answer that reported it: the rest of that answer still counts.
    queueMicrotask(() => this.#options.onGivenUp(error.message));
  }

  onSuccess(): void {
    this.#failuresInRow = 0;
  }
}
