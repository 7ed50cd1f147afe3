/** Which volume a stream goes to. */
import type { Guid } from "../../base/index.js";

/** What a stream is taken to write before anything is known of it: 4 Mbit/s. */
const STREAM_BYTES_PER_SECOND = 500_000;
/** Volumes are evened out only when one lasts so much longer than the other. */
const UNEVEN_FACTOR = 2;
/** A full volume that retention keeps rolling has a share by what it may hold. */
const ROLLING_SHARE = 0.1;
/** A volume that has been busy with one write for longer takes no further stream while there is another. */
export const BRISK_MS = 1_000;

/** A volume that can be written, as the choice sees it. */
export interface Candidate {
  readonly id: Guid;
  /** What it may still take, and what it may hold. */
  readonly roomBytes: number;
  readonly allowedBytes: number;
  /** What was written to it recently. */
  readonly bytesPerSecond: number;
  /** Streams on it. */
  readonly streams: number;
  /** It keeps up: no write has been outstanding for long, everything is taken, there is room. */
  readonly brisk: boolean;
  readonly full: boolean;
}

/**
 * The candidate that would last longest at what is written to it: its room, and a share of what it may hold, over the load. Those
 * that do not keep up, that are full, and the one to avoid come last.
 */
export function pickVolume<C extends Candidate>(candidates: readonly C[], avoid?: Guid): C | undefined {
  const others = candidates.filter((candidate) => candidate.id !== avoid);
  const brisk = others.filter((candidate) => candidate.brisk && !candidate.full);
  const roomy = others.filter((candidate) => !candidate.full);
  for (const some of [brisk, roomy, others, candidates]) {
    const best = longestLasting(some);
    if (best !== undefined) return best;
  }
  return undefined;
}

function longestLasting<C extends Candidate>(candidates: readonly C[]): C | undefined {
  let best: C | undefined;
  let bestSeconds = -1;
  for (const candidate of candidates) {
    const seconds = secondsLeft(candidate);
    if (seconds <= bestSeconds) continue;
    best = candidate;
    bestSeconds = seconds;
  }
  return best;
}

/**
 * The volume that a stream had better leave for another one: one that lasts less than half as long as the other would with
 * that stream. Undefined while they are near enough.
 */
export function pickOverburdened<C extends Candidate>(candidates: readonly C[]): C | undefined {
  const best = pickVolume(candidates);
  if (best === undefined || !best.brisk || best.full) return undefined;
  // What the stream writes here it would write there, too, where nothing may have been written yet.
  const secondsThere = (candidate: C): number =>
    secondsLeft(best, best.streams + 1, Math.max(streamRate(best), streamRate(candidate)));
  const uneven = candidates.filter(
    (candidate) =>
      candidate !== best &&
      candidate.streams > 0 &&
      secondsLeft(candidate, candidate.streams) < secondsThere(candidate) / UNEVEN_FACTOR,
  );
  return uneven.sort((a, b) => secondsLeft(a) - secondsLeft(b))[0];
}

/** How long the volume would last with so many streams. Streams that have just come have written nothing yet. */
function secondsLeft(
  candidate: Candidate,
  streams = candidate.streams + 1,
  perStream = streamRate(candidate),
): number {
  const { roomBytes, allowedBytes } = candidate;
  return (roomBytes + allowedBytes * ROLLING_SHARE) / (Math.max(1, streams) * perStream);
}

/** What each of its streams writes, bytes a second. */
function streamRate({ streams, bytesPerSecond }: Candidate): number {
  return Math.max(STREAM_BYTES_PER_SECOND, streams > 0 ? bytesPerSecond / streams : 0);
}
