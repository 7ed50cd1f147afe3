import "./export.css";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { say } from "../../control/notice.js";
import { useWork } from "../../control/work.js";
import { recorderNow } from "../../state/recorder-time.js";
import { playbackWords } from "../../words/playback.js";
import { lengthWords } from "../time/format.js";
import { timelineRows } from "../timeline/data.js";
import { recordedFrom } from "../timeline/row.js";
import { lengthOf, type Span } from "../timeline/span.js";
import { chosen, cursor, marked, nameOf, shownSpan } from "../watch/model.js";
import { Panel } from "../watch/panel.js";
import { FILE_MS_MAX } from "./edits.js";
import { MomentField } from "./moment-field.js";
import { mayProtect, protect } from "./protected.js";
import type { SpanProps } from "./span-props.js";

const MINUTE_MS = 60_000;
const SECOND_MS = 1000;

interface ExportPanelProps {
  /** The form of files, and those on their way. */
  readonly files: (props: SpanProps) => ComponentChildren;
  /** Those that lie on the recorder. */
  readonly saved: ComponentChildren;
  /** The moment that is shown: its link, and a name for it. */
  readonly moment: (channels: readonly string[]) => ComponentChildren;
}

/** Marks a time, saves it as files, or protects it. */
export function ExportPanel({ files, saved, moment }: ExportPanelProps) {
  const words = playbackWords();
  useEffect(() => {
    marked.value ??= whatIsShown();
    return () => (marked.value = undefined);
  }, []);
  const span = marked.value;
  const cameras = useSignal<readonly string[]>(chosen.peek());
  const picked = cameras.value.filter((id) => chosen.value.includes(id));
  return (
    <Panel title={words.export}>
      <p class="hint">{words.exportHint}</p>
      {span !== undefined && <MarkedFields span={span} />}
      <fieldset class="checks">
        <legend>{words.cameras}</legend>
        {chosen.value.map((id) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={picked.includes(id)}
              onChange={({ currentTarget: { checked } }) =>
                (cameras.value = checked ? [...picked, id] : picked.filter((other) => other !== id))
              }
            />
            <span>{nameOf(id)}</span>
          </label>
        ))}
      </fieldset>
      {span !== undefined && files({ channels: picked, span })}
      {saved}
      {moment(picked)}
      {span !== undefined && mayProtect() && <Protect channels={picked} span={span} />}
    </Panel>
  );
}

/** What the timeline shows, as far as it is over, and not before the first recording there; a day around the cursor of more. */
function whatIsShown(): Span {
  const shown = shownSpan.peek();
  const firsts = timelineRows
    .peek()
    .flatMap((row) => (row === undefined ? [] : [recordedFrom(row, shown.from) ?? Number.POSITIVE_INFINITY]));
  const first = firsts.length === 0 ? shown.from : Math.min(...firsts);
  const to = Math.min(shown.to, recorderNow());
  const from = first < to ? Math.max(shown.from, first) : shown.from;
  if (to - from < SECOND_MS) return { from: Math.floor(to - MINUTE_MS), to: Math.floor(to) };
  if (to - from <= FILE_MS_MAX) return { from: Math.floor(from), to: Math.floor(to) };
  const begin = Math.min(Math.max(cursor.peek() - FILE_MS_MAX / 2, from), to - FILE_MS_MAX);
  return { from: Math.floor(begin), to: Math.floor(begin + FILE_MS_MAX) };
}

function MarkedFields({ span }: { readonly span: Span }) {
  const words = playbackWords();
  const isTooLong = lengthOf(span) > FILE_MS_MAX;
  return (
    <div class="marked-fields">
      <MomentField
        label={words.exportStart}
        value={span.from}
        onValue={(from) => (marked.value = { from, to: Math.max(span.to, from + 1000) })}
      />
      <MomentField
        label={words.exportEnd}
        value={span.to}
        onValue={(to) => (marked.value = { from: Math.min(span.from, to - 1000), to })}
      />
      <p role="status" class={isTooLong ? "fault" : "hint"}>
        {isTooLong ? words.exportTooLong : words.exportLength(lengthWords(lengthOf(span)))}
      </p>
    </div>
  );
}

/** The same span is kept; one press with a reason that is offered. */
function Protect({ channels, span }: SpanProps) {
  const words = playbackWords();
  const reason = useSignal("");
  const [isBusy, act] = useWork();
  const keep = (why: string) =>
    act(async () => {
      await protect(channels, span, why);
      say(words.protectDone);
    });
  const isOff = isBusy || channels.length === 0;
  return (
    <section class="protect">
      <h3>{words.protect}</h3>
      <p class="hint">{words.protectIntro}</p>
      <div class="reasons">
        {words.protectReasons.map((why) => (
          <Button key={why} disabled={isOff} onClick={() => void keep(why)}>
            {words.protectFor(why)}
          </Button>
        ))}
      </div>
      <form
        class="own-reason"
        onSubmit={(event) => {
          event.preventDefault();
          void keep(reason.peek().trim());
        }}
      >
        <input
          aria-label={words.protectReason}
          placeholder={words.protectReason}
          value={reason.value}
          maxLength={1000}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
        <Button type="submit" disabled={isOff}>
          {words.protect}
        </Button>
      </form>
    </section>
  );
}
