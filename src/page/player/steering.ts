/** How far behind the newest picture the element stays: enough for an uneven arrival, little enough to be live. */
const BEHIND_S = 0.115;
/** Within this the speed stays 1: small corrections all the time would be heard, and without sound nobody notices them. */
const CALM_HEARD_S = 0.035;
const CALM_SILENT_S = 0.012;
/** Farther behind it jumps: catching up would take too long. */
const JUMP_BEHIND_S = 1.2;
/** Pictures that come farther apart than this are shown each at once: waiting for the next one would show an old one. */
const SPARSE_S = 0.6;
/** At this many seconds too far behind the speed has its greatest change. */
const FULL_CORRECTION_S = 0.5;

export interface LivePlace {
  /** The element's time, seconds. */
  readonly nowS: number;
  /** Beginning and end of the stretch of the buffer that is played, seconds. */
  readonly startS: number;
  readonly endS: number;
  /** Time between two pictures, seconds. */
  readonly pictureS: number;
  /** Where the newest picture begins, and how long after the one before it came. */
  readonly newestS?: number;
  readonly apartS?: number;
  /** Sound is heard: it may change less. */
  readonly isHeard: boolean;
}

export type Correction = { readonly rate: number; readonly jumpToS?: number };

/** How a live picture stays near the end of its buffer: a little faster or slower, or a jump. */
export function steer(place: LivePlace): Correction {
  const { nowS, startS, endS, pictureS, isHeard, newestS = nowS, apartS = 0 } = place;
  if (apartS > SPARSE_S && newestS > nowS) return { rate: 1, jumpToS: newestS };
  // With few pictures a second one more of them has to be there.
  const wanted = BEHIND_S + Math.max(0, Math.min(pictureS, 1) - 0.04);
  const behind = endS - nowS;
  const target = Math.max(startS, endS - wanted);
  if (nowS < startS || behind > wanted + JUMP_BEHIND_S) return { rate: 1, jumpToS: target };
  const excess = behind - wanted;
  if (Math.abs(excess) <= (isHeard ? CALM_HEARD_S : CALM_SILENT_S)) return { rate: 1 };
  const most = isHeard ? 0.06 : 0.25;
  const change = Math.max(-1, Math.min(1, excess / FULL_CORRECTION_S)) * most;
  return { rate: Math.round((1 + change) * 100) / 100 };
}
