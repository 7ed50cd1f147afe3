import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Timeline, TimelineChannel } from "../../../contract/answer/index.js";
import { sayError } from "../../control/notice.js";
import { addressOf } from "../../state/address.js";
import { recorderNow, takeRecorderTime } from "../../state/recorder-time.js";
import { reachable, requestJson } from "../../state/request.js";
import { chosen, shownSpan } from "../watch/model.js";
import { type Question, TimelineCache } from "./cache.js";
import { nextMoment } from "./row.js";
import type { Span } from "./span.js";

/** A drag or a turn of the wheel is over when so long nothing came. */
const CALM_MS = 150;
/** A drag that goes on is not waited for so long. */
const LONG_MS = 700;
/** How often it is looked whether something new belongs on the timeline. */
const LOOK_MS = 5000;
const DAY_MS = 86_400_000;

const cache = new TimelineCache();
/** Counts what was read, so that what is drawn follows. */
const version = signal(0);

/** What is known of the span that is shown; coarse or partial while the rest is being asked for. */
export const timelineAnswer = computed<Timeline | undefined>(() => {
  version.value;
  return cache.best(chosen.value, shownSpan.value);
});

/** Its channels, in the order of the rows. */
export const timelineRows = computed<readonly (TimelineChannel | undefined)[]>(() => {
  const found = new Map(timelineAnswer.value?.Channels.map((channel) => [channel.Id.toLowerCase(), channel]));
  return chosen.value.map((id) => found.get(id.toLowerCase()));
});

/** Reads what the timeline shows, for as long as it is shown. */
export function useTimelineData(): void {
  const [span, channels] = [shownSpan.value, chosen.value];
  useEffect(lookSoon, [span, channels]);
  useEffect(() => {
    const timer = setInterval(look, LOOK_MS);
    return () => {
      clearInterval(timer);
      clearTimeout(calm);
    };
  }, []);
}

/** Something was protected or released: what was read is old. */
export function readTimelineAnew(): void {
  cache.clear();
  version.value += 1;
  look();
}

let calm: ReturnType<typeof setTimeout> | undefined;
let lookedAt = 0;
let isAsking = false;
let hasFailed = false;

/** When a drag is over; now and then while it goes on. */
function lookSoon(): void {
  clearTimeout(calm);
  calm = setTimeout(look, Date.now() - lookedAt > LONG_MS ? 0 : CALM_MS);
}

/** Asks for what is missing; one request at a time, then for what is missing by then. */
function look(): void {
  lookedAt = Date.now();
  const question = cache.missing(chosen.peek(), shownSpan.peek(), recorderNow(), lookedAt);
  if (question === undefined || isAsking || document.visibilityState === "hidden") return;
  isAsking = true;
  readTimeline(question)
    .then((answer) => {
      cache.keep(question.channels, answer, Date.now());
      version.value += 1;
      hasFailed = false;
      lookSoon();
    }, sayOnce)
    .finally(() => {
      isAsking = false;
    });
}

/** It is asked for again all the time: the first refusal is said, and no answer is said by the frame. */
function sayOnce(error: unknown): void {
  if (!hasFailed && reachable.peek()) sayError(error);
  hasFailed = true;
}

/** Asks the service for a timeline, outside of the cache. */
export async function readTimeline(question: Question, abort?: AbortSignal): Promise<Timeline> {
  const { channels, span, steps } = question;
  const address = addressOf("/api/timeline", {
    channels: channels.join(","),
    from: Math.max(0, Math.floor(span.from)),
    to: Math.max(1, Math.ceil(span.to)),
    steps,
  });
  const askedMs = Date.now();
  const answer = await requestJson<Timeline>(address, abort === undefined ? {} : { signal: abort });
  takeRecorderTime(answer.Now, askedMs, Date.now());
  return answer;
}

/** How far is searched in one request, growing; and how exact the moment is to be. */
const REACHES_MS = [DAY_MS / 8, DAY_MS, 7 * DAY_MS, 60 * DAY_MS];
const EXACT_MS = 1000;
const SEARCH_STEPS = 4000;

/** The next moment with motion or an event, as exact as a second; undefined within two months. */
export async function findMoment(
  channels: readonly string[],
  at: number,
  direction: 1 | -1,
): Promise<number | undefined> {
  for (const reach of REACHES_MS) {
    const span = direction === 1 ? { from: at, to: at + reach } : { from: at - reach, to: at };
    const found = await findWithin(channels, span, at, direction);
    if (found !== undefined) return found;
    if (direction === 1 && span.to > recorderNow()) return undefined;
  }
  return undefined;
}

/** Looks closer where there is something, until the moment is exact. */
async function findWithin(
  channels: readonly string[],
  span: Span,
  at: number,
  direction: 1 | -1,
): Promise<number | undefined> {
  const answer = await readTimeline({ channels, span, steps: SEARCH_STEPS });
  const found = nextMoment(answer, answer.Channels, at, direction);
  if (found === undefined || answer.StepMs <= EXACT_MS) return found;
  const around = { from: found - answer.StepMs, to: found + answer.StepMs };
  return (await findWithin(channels, around, at, direction)) ?? found;
}
