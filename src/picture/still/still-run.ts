import type { CodedUnit } from "../codec/codec-types.js";

/**
 * Most frames decoded for one still: a GOP of 20 s at 50 frames a second. Of a longer GOP, the last frame within the
 * limit is shown.
 */
export const RUN_FRAMES_MAX = 1000;
/** Most bytes of them: a GOP of 10 s at 25 Mbit/s. */
export const RUN_BYTES_MAX = 32 * 1024 * 1024;

/**
 * The units from a key frame on that are needed for the picture shown at `atUs`: up to and including the last one shown
 * at or before it (with B-frames, not the last one sent). Undefined if none is shown by then.
 */
export function runUntil<T extends CodedUnit>(units: readonly T[], atUs: number): readonly T[] | undefined {
  let found = -1;
  let foundUs = -1;
  for (const [index, unit] of units.entries()) {
    const shownUs = shownAt(unit);
    if (shownUs > atUs || shownUs < foundUs) continue;
    found = index;
    foundUs = shownUs;
  }
  return found < 0 ? undefined : units.slice(0, found + 1);
}

/** Presentation time, Unix microseconds. */
export function shownAt(unit: Pick<CodedUnit, "decodeTimeUs" | "presentationOffsetUs">): number {
  return unit.decodeTimeUs + unit.presentationOffsetUs;
}

/** Counts frames and bytes toward the limits of a run. */
export class RunBound {
  #frames = 0;
  #bytes = 0;

  /** Adds a frame of so many bytes if it fits; the first always does. */
  admit(bytes: number): boolean {
    const fits =
      this.#frames === 0 || (this.#frames < RUN_FRAMES_MAX && this.#bytes + bytes <= RUN_BYTES_MAX);
    if (!fits) return false;
    this.#frames += 1;
    this.#bytes += bytes;
    return true;
  }
}
