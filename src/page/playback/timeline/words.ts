import type { GapReason, Timeline, TimelineChannel, TimelineGap } from "../../../contract/answer/index.js";
import { playbackWords } from "../../words/playback.js";
import { lengthWords, nearWords, spanWords } from "../time/format.js";
import { type Found, foundAt } from "./row.js";

/** Why nothing was recorded, in the owner's words. A reason that is new to this page is one that is not known. */
export function reasonWords(reason: GapReason): string {
  const { gaps } = playbackWords();
  return gaps[reason] ?? gaps.unknown;
}

/** `The camera did not answer, 14:02–14:20 (18 min)`. What goes on beyond what was asked for has no end here. */
export function gapWords(gap: TimelineGap, answer: Timeline): string {
  const words = reasonWords(gap.Reason);
  const { from, until } = playbackWords();
  const isCutBefore = gap.From <= answer.From;
  const isCutAfter = gap.To >= answer.To;
  if (isCutBefore && isCutAfter) return words;
  if (isCutBefore) return `${words}, ${until(nearWords(gap.To, answer.Now))}`;
  if (isCutAfter || gap.To >= answer.Now) return `${words}, ${from(nearWords(gap.From, answer.Now))}`;
  return `${words}, ${spanWords(gap.From, gap.To, answer.Now)} (${lengthWords(gap.To - gap.From)})`;
}

/** All that a row has at a moment, most important first. */
export function foundWords(found: Found, answer: Timeline, at: number): readonly string[] {
  const words = playbackWords();
  if (at > answer.Now) return [words.toCome];
  return [
    ...(found.gap === undefined ? [] : [gapWords(found.gap, answer)]),
    ...(found.run === undefined
      ? []
      : [found.run.Recorded === undefined ? words.recorded : words.recordedParts]),
    ...(found.isAway ? [words.away] : []),
    ...(found.isKeyFrames ? [words.keyFrames] : []),
    ...(found.hasMotion ? [words.motion] : []),
    ...(found.events === 0 ? [] : [words.events(found.events)]),
    ...(found.protectedSpan === undefined ? [] : [words.protectedFor(found.protectedSpan.Comment)]),
  ];
}

/** What a channel has at a moment, in words. */
export function rowWords(
  answer: Timeline | undefined,
  channel: TimelineChannel | undefined,
  at: number,
  reachMs: number,
): string {
  if (answer === undefined || channel === undefined) return "";
  return foundWords(foundAt(answer, channel, at, reachMs), answer, at).join(" · ");
}
