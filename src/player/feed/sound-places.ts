import { US_PER_SECOND } from "../../base/index.js";
import type { FeedSoundTrack } from "./sound-track.js";

/** Sound is placed without a gap until it is this far from its own time. */
const DRIFT_US_MAX = 100_000;

/** Places pieces of sound on their track: one right behind the other, since each gap is heard. */
export class SoundPlaces {
  readonly track: FeedSoundTrack;
  #nextTicks: number | undefined;
  #placed = 0;

  constructor(track: FeedSoundTrack) {
    this.track = track;
  }

  /** How many pieces have been placed. */
  get placed(): number {
    return this.#placed;
  }

  /** The start of a piece in ticks of the track; undefined if there is sound at its time already. */
  place(mediaUs: number, samples: number): number | undefined {
    const { rate } = this.track;
    const ownTicks = Math.round((mediaUs * rate) / US_PER_SECOND);
    const driftTicks = this.#nextTicks === undefined ? 0 : ownTicks - this.#nextTicks;
    const driftTicksMax = Math.max(samples, (DRIFT_US_MAX * rate) / US_PER_SECOND);
    if (ownTicks < 0 || driftTicks < -driftTicksMax) return undefined;
    const ticks = this.#nextTicks === undefined || driftTicks > driftTicksMax ? ownTicks : this.#nextTicks;
    this.#nextTicks = ticks + samples;
    this.#placed += 1;
    return ticks;
  }
}
