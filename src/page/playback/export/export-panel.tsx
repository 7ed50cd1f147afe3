import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../control/button.js";
import { say } from "../../control/notice.js";
import { useWork } from "../../control/work.js";
import { playbackWords } from "../../words/playback.js";
import { lengthWords } from "../time/format.js";
import { lengthOf, type Span } from "../timeline/span.js";
import { active, chosen, cursor, marked, nameOf, recorderNow, shownSpan } from "../watch/model.js";
import { Panel } from "../watch/panel.js";
import { addFiles, fileJobs } from "./file-jobs.js";
import { type FilePlan, planFiles } from "./file-request.js";
import { FileRow } from "./file-row.js";
import { MomentField } from "./moment-field.js";
import { mayProtect, protect } from "./protected.js";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Marks a time, saves it as files, or protects it. */
export function ExportPanel() {
  const words = playbackWords();
  useEffect(() => {
    marked.value ??= aroundCursor();
    return () => (marked.value = undefined);
  }, []);
  const span = marked.value;
  const cameras = useSignal<readonly string[]>(active.peek() === undefined ? [] : [active.peek() ?? ""]);
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
      {span !== undefined && <MakeFiles channels={picked} span={span} />}
      <ul class="files">
        {fileJobs.value.map((job) => (
          <FileRow key={job.id} job={job} />
        ))}
      </ul>
      {span !== undefined && mayProtect() && <Protect channels={picked} span={span} />}
    </Panel>
  );
}

/** A part of what the timeline shows, around the moment that is shown, as far as it is over. */
function aroundCursor(): Span {
  const length = Math.min(Math.max(lengthOf(shownSpan.peek()) / 8, MINUTE_MS / 6), 60 * MINUTE_MS);
  const to = Math.min(cursor.peek() + length / 2, recorderNow());
  return { from: Math.floor(to - length), to: Math.floor(to) };
}

function MarkedFields({ span }: { readonly span: Span }) {
  const words = playbackWords();
  const isTooLong = lengthOf(span) > DAY_MS;
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

interface SpanProps {
  readonly channels: readonly string[];
  readonly span: Span;
}

function MakeFiles({ channels, span }: SpanProps) {
  const words = playbackWords();
  const sound = useSignal(true);
  const [isBusy, act] = useWork();
  return (
    <div class="make-files">
      <label class="check">
        <input
          type="checkbox"
          checked={sound.value}
          onChange={(event) => (sound.value = event.currentTarget.checked)}
        />
        <span>{words.withSoundOption}</span>
      </label>
      <Button
        kind="main"
        disabled={isBusy || channels.length === 0 || lengthOf(span) > DAY_MS}
        onClick={() => void act(() => makeFiles(channels, span, sound.peek()))}
      >
        {words.makeFile}
      </Button>
    </div>
  );
}

async function makeFiles(channels: readonly string[], span: Span, sound: boolean): Promise<void> {
  const abort = new AbortController();
  const made: FilePlan[] = [];
  for (const channel of channels) {
    const plans = await planFiles({ channel, span, sound }, abort.signal);
    if (plans.length === 0) say(`${nameOf(channel)}: ${playbackWords().fileNone}`, true);
    if (plans.length > 1) say(`${nameOf(channel)}: ${playbackWords().fileParts(plans.length)}`);
    made.push(...plans);
  }
  addFiles(made);
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
