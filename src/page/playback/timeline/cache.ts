import type { Timeline } from "../../../contract/answer/index.js";
import { lengthOf, type Span } from "./span.js";

/** What is asked for: the service answers with steps of equal length. */
export interface Question {
  readonly channels: readonly string[];
  readonly span: Span;
  readonly steps: number;
}

/** As many answers as a person goes through before coming back. */
const ANSWERS_MAX = 24;
/** Steps of the part that is shown: one for about two pixels of a wide screen. */
const SHOWN_STEPS = 600;
/** What is asked for is this many times what is shown, so that a drag finds something there. */
const MARGIN = 3;
/** An answer with steps so much coarser is shown meanwhile; with steps so much finer it is kept as it is. */
const COARSER_MAX = 1.6;
const FINER_MAX = 6;
/** What lies at the edge of now is asked for again. */
const FRESH_MS = 10_000;
/** Events and reasons reach the recorder's log that much behind the time they are about. */
const SETTLED_MS = 120_000;

interface Kept {
  readonly key: string;
  readonly answer: Timeline;
  readonly readAt: number;
}

/** Answers of the timeline, newest first. Moments are the page's own clock where they are named `readAt`. */
export class TimelineCache {
  #kept: readonly Kept[] = [];

  keep(channels: readonly string[], answer: Timeline, readAt: number): void {
    const kept = { key: keyOf(channels), answer, readAt };
    const others = this.#kept.filter(
      (other) =>
        other.key !== kept.key ||
        !isAlike(other.answer.StepMs, answer.StepMs) ||
        !covers(answer, { from: other.answer.From, to: other.answer.To }),
    );
    this.#kept = [kept, ...others].slice(0, ANSWERS_MAX);
  }

  /** Forgets all: something was protected, or released. */
  clear(): void {
    this.#kept = [];
  }

  /** The best answer for what is shown: fine enough where there is one, else the one that shows most of it. */
  best(channels: readonly string[], shown: Span): Timeline | undefined {
    const key = keyOf(channels);
    const fitting = this.#kept.filter((kept) => kept.key === key);
    const fine = fitting.find(({ answer }) => covers(answer, shown) && isFine(answer, shown));
    if (fine !== undefined) return fine.answer;
    const rated = fitting.map(({ answer }) => ({ answer, rate: rate(answer, shown) }));
    return rated.filter((one) => one.rate > 0).sort((a, b) => b.rate - a.rate)[0]?.answer;
  }

  /** What is to be asked for so that the shown span is known; undefined where it is. */
  missing(channels: readonly string[], shown: Span, now: number, readNow: number): Question | undefined {
    if (channels.length === 0) return undefined;
    const key = keyOf(channels);
    const known = this.#kept.some(
      ({ key: own, answer, readAt }) =>
        own === key &&
        covers(answer, { from: shown.from, to: Math.min(shown.to, Math.max(now, shown.from)) }) &&
        isFine(answer, shown) &&
        (readNow - readAt < FRESH_MS || shown.to < answer.Now - SETTLED_MS),
    );
    if (known) return undefined;
    const margin = ((MARGIN - 1) / 2) * lengthOf(shown);
    return {
      channels,
      span: { from: Math.floor(shown.from - margin), to: Math.ceil(shown.to + margin) },
      steps: SHOWN_STEPS * MARGIN,
    };
  }
}

function keyOf(channels: readonly string[]): string {
  return [...channels].sort().join(" ");
}

function isAlike(a: number, b: number): boolean {
  return Math.max(a, b) / Math.min(a, b) < 1.05;
}

function covers(answer: Timeline, { from, to }: Span): boolean {
  return answer.From <= from && answer.To >= to;
}

function isFine(answer: Timeline, shown: Span): boolean {
  const wanted = lengthOf(shown) / SHOWN_STEPS;
  return answer.StepMs <= wanted * COARSER_MAX && answer.StepMs >= wanted / FINER_MAX;
}

/** How much of the span an answer shows, less for steps that are too coarse. */
function rate(answer: Timeline, shown: Span): number {
  const common = Math.min(answer.To, shown.to) - Math.max(answer.From, shown.from);
  const coarse = Math.max(1, answer.StepMs / (lengthOf(shown) / SHOWN_STEPS));
  return Math.max(common, 0) / lengthOf(shown) / Math.sqrt(coarse);
}
