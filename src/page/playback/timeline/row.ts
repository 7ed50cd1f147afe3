import type {
  Timeline,
  TimelineChannel,
  TimelineCounts,
  TimelineGap,
  TimelineProtected,
  TimelineRun,
} from "../../../contract/answer/index.js";
import { overlaps, type Span } from "./span.js";

/** What a timeline has at a moment of one channel. */
export interface Found {
  readonly run?: TimelineRun;
  readonly gap?: TimelineGap;
  readonly protectedSpan?: TimelineProtected;
  /** It is played from another place. */
  readonly isAway: boolean;
  /** One picture for each key frame, and nothing between them. */
  readonly isKeyFrames: boolean;
  readonly hasMotion: boolean;
  /** Events within a few pixels. */
  readonly events: number;
}

/**
 * What is at a moment. `reachMs` is what a pointer covers: a gap or an event that is narrower than that is found beside the
 * pointer too.
 */
export function foundAt(answer: Timeline, channel: TimelineChannel, at: number, reachMs: number): Found {
  const around = { from: at - reachMs, to: at + reachMs };
  const run = itemAt(channel.Runs, at);
  const gap = itemAt(channel.Gaps, at) ?? narrowIn(channel.Gaps, around);
  const protectedSpan = channel.Protected.find(({ From, To }) => From <= at && at < To);
  return {
    ...(gap !== undefined ? { gap } : run !== undefined ? { run } : {}),
    ...(protectedSpan === undefined ? {} : { protectedSpan }),
    isAway: itemAt(channel.Away, at) !== undefined,
    isKeyFrames: itemAt(channel.KeyFrames, at) !== undefined,
    hasMotion: countIn(answer, channel.Motion, around) > 0,
    events: channel.Events.reduce((sum, group) => sum + countIn(answer, group, around), 0),
  };
}

/** The item that has a moment; items are in order and do not overlap. */
function itemAt<Item extends { From: number; To: number }>(
  items: readonly Item[],
  at: number,
): Item | undefined {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.From ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  const found = items[low - 1];
  return found !== undefined && at < found.To ? found : undefined;
}

/** A gap that is so narrow that a pointer cannot be put on it. */
function narrowIn(gaps: readonly TimelineGap[], around: Span): TimelineGap | undefined {
  const reach = around.to - around.from;
  return gaps.find(({ From, To }) => To - From < reach && overlaps({ from: From, to: To }, around));
}

function countIn(answer: Timeline, { Steps, Counts }: TimelineCounts, around: Span): number {
  const first = (around.from - answer.From) / answer.StepMs - 1;
  const last = (around.to - answer.From) / answer.StepMs;
  let sum = 0;
  for (let index = lowerBound(Steps, first); index < Steps.length; index += 1) {
    if ((Steps[index] ?? 0) > last) break;
    sum += Counts[index] ?? 0;
  }
  return sum;
}

/** Index of the first number of an ordered list that is `least` or more. */
export function lowerBound(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The beginning of the next step with motion or an event, behind `at` or before it. Steps that join count as one. */
export function nextMoment(
  answer: Timeline,
  channels: readonly TimelineChannel[],
  at: number,
  direction: 1 | -1,
): number | undefined {
  const begins = momentsOf(answer, channels);
  // A moment just passed is not gone back to: whoever presses the key twice wants the one before it.
  const index = lowerBound(begins, direction === 1 ? at + answer.StepMs * 0.51 : at - answer.StepMs);
  return direction === 1 ? begins[index] : begins[index - 1];
}

function momentsOf(answer: Timeline, channels: readonly TimelineChannel[]): readonly number[] {
  const steps = new Set<number>();
  for (const { Motion, Events } of channels)
    for (const { Steps } of [Motion, ...Events]) for (const step of Steps) steps.add(step);
  return [...steps]
    .filter((step) => !steps.has(step - 1))
    .sort((a, b) => a - b)
    .map((step) => answer.From + step * answer.StepMs);
}

/** How much of a span is recorded, 0 to 1. */
export function recordedPart(channel: TimelineChannel, { from, to }: Span): number {
  let recorded = 0;
  for (const { From, To, Recorded } of channel.Runs) {
    const shown = Math.min(To, to) - Math.max(From, from);
    if (shown > 0) recorded += shown * (Recorded === undefined ? 1 : Recorded / Math.max(To - From, 1));
  }
  return recorded / Math.max(to - from, 1);
}

/** The first recorded moment from `at` on. */
export function recordedFrom(channel: TimelineChannel, at: number): number | undefined {
  const run = channel.Runs.find(({ To }) => To > at);
  return run === undefined ? undefined : Math.max(run.From, at);
}
