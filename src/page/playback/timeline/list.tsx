import type { Timeline, TimelineChannel } from "../../../contract/answer/index.js";
import { playbackWords } from "../../words/playback.js";
import { spanWords } from "../time/format.js";
import { chosen, nameOf, shownSpan } from "../watch/model.js";
import { playing } from "../watch/playing.js";
import { timelineAnswer, timelineRows } from "./data.js";
import { Legend } from "./legend.js";
import { overlaps, type Span } from "./span.js";
import { gapWords } from "./words.js";

/** As many lines a camera: who shows less time sees the rest. */
const LINES_MAX = 40;
/** What is gone to begins so much earlier, so that its beginning is seen. */
const BEFORE_MS = 5000;

interface Line {
  readonly at: number;
  readonly text: string;
}

/** The timeline as a list: what is drawn, in words. */
export function TimelineList() {
  const answer = timelineAnswer.value;
  return (
    <>
      <Legend />
      {answer !== undefined &&
        timelineRows.value.map((channel, row) => (
          <section key={chosen.value[row]}>
            <h2>{nameOf(chosen.value[row])}</h2>
            {channel !== undefined && <Lines answer={answer} channel={channel} />}
          </section>
        ))}
    </>
  );
}

function Lines({ answer, channel }: { readonly answer: Timeline; readonly channel: TimelineChannel }) {
  const words = playbackWords();
  const all = linesOf(answer, channel, shownSpan.value);
  const hasGap = channel.Gaps.some(({ From, To }) => overlaps({ from: From, to: To }, shownSpan.value));
  return (
    <ul>
      {!hasGap && <li>{words.listNothing}</li>}
      {all.slice(0, LINES_MAX).map(({ at, text }) => (
        <li key={`${at} ${text}`}>
          <button type="button" class="link" onClick={() => playing.seek(at - BEFORE_MS)}>
            {text}
          </button>
        </li>
      ))}
      {all.length > LINES_MAX && <li>{words.listMore(all.length - LINES_MAX)}</li>}
    </ul>
  );
}

function linesOf(answer: Timeline, channel: TimelineChannel, shown: Span): readonly Line[] {
  const words = playbackWords();
  const isShown = ({ From, To }: { From: number; To: number }) => overlaps({ from: From, to: To }, shown);
  const gaps = channel.Gaps.filter(isShown).map((gap) => ({ at: gap.From, text: gapWords(gap, answer) }));
  const guarded = channel.Protected.filter(isShown).map(({ From, To, Comment }) => ({
    at: From,
    text: `${words.protectedFor(Comment)}, ${spanWords(From, To, answer.Now)}`,
  }));
  const away = channel.Away.filter(isShown).map(({ From, To }) => ({
    at: From,
    text: `${words.away}, ${spanWords(From, To, answer.Now)}`,
  }));
  const motion = motionSpans(answer, channel, shown).map(({ from, to }) => ({
    at: from,
    text: `${words.motion}, ${spanWords(from, to, answer.Now)}`,
  }));
  return [...gaps, ...guarded, ...away, ...motion].sort((a, b) => a.at - b.at);
}

/** Steps with motion that join are one span. */
function motionSpans(answer: Timeline, { Motion }: TimelineChannel, shown: Span): readonly Span[] {
  const spans: { from: number; to: number }[] = [];
  for (const step of Motion.Steps) {
    const from = answer.From + step * answer.StepMs;
    const to = from + answer.StepMs;
    const last = spans.at(-1);
    if (last !== undefined && from - last.to < answer.StepMs * 1.5) last.to = to;
    else spans.push({ from, to });
  }
  return spans.filter((span) => overlaps(span, shown));
}
