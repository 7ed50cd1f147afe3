import { useSignal } from "@preact/signals";
import type { ServiceLog } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Choice, Field } from "../../control/field.js";
import { sayError } from "../../control/notice.js";
import { addressOf } from "../../state/address.js";
import { channels } from "../../state/channels.js";
import { locale } from "../../state/locale.js";
import { useRead } from "../../state/reading.js";
import { recorderNow } from "../../state/recorder-time.js";
import { requestJson } from "../../state/request.js";
import { timeFormat } from "../../state/time-format.js";
import { commonWords } from "../../words/common.js";
import { logWords } from "../../words/settings/log.js";

const LEVELS = ["Information", "Warning", "Error", "Debug"] as const;
type Level = (typeof LEVELS)[number];
const AGES = { all: 0, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
type Age = keyof typeof AGES;

const LINES_FIRST = 100;
const LINES_MAX = 1000;
const EVERY_CAMERA = "";

interface Filter {
  readonly level: Level;
  readonly channel: string;
  readonly age: Age;
  readonly text: string;
  readonly limit: number;
}

const NOTHING: Filter = {
  level: "Information",
  channel: EVERY_CAMERA,
  age: "all",
  text: "",
  limit: LINES_FIRST,
};

/** The recorder's own log, for whoever looks for a fault. */
export function LogSection() {
  const words = logWords();
  const filter = useSignal(NOTHING);
  const answer = useSignal<ServiceLog | undefined>(undefined);
  const set = (change: Partial<Filter>): void => {
    filter.value = { ...filter.value, limit: LINES_FIRST, ...change };
  };
  const read = async (): Promise<void> => {
    const asked = filter.peek();
    const answered = await readLog(asked);
    if (filter.peek() === asked) answer.value = answered;
  };
  useRead(read, sayError, [filter.value]);
  const shown = answer.value;
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      <FilterForm filter={filter.value} onFilter={set} onAgain={() => void read().catch(sayError)} />
      {shown === undefined ? (
        <p class="quiet">{commonWords().loading}</p>
      ) : (
        <>
          <Lines answer={shown} />
          {shown.HasMore && filter.value.limit < LINES_MAX && (
            <Button onClick={() => set({ limit: LINES_MAX })}>{words.more}</Button>
          )}
          {!shown.HasMore && shown.Source === "Memory" && <p class="hint">{words.memory}</p>}
        </>
      )}
    </section>
  );
}

interface FilterFormProps {
  readonly filter: Filter;
  readonly onFilter: (change: Partial<Filter>) => void;
  readonly onAgain: () => void;
}

function FilterForm({ filter, onFilter, onAgain }: FilterFormProps) {
  const words = logWords();
  const typed = useSignal(filter.text);
  const cameras = (channels.value ?? []).map(({ Id, Name }) => [Id, Name] as const);
  return (
    <form
      class="log-filter"
      aria-label={words.filter}
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.value.trim() === filter.text) onAgain();
        else onFilter({ text: typed.value.trim() });
      }}
    >
      <Choice
        label={words.level}
        value={filter.level}
        options={LEVELS.map((name) => [name, words.levels[name]] as const)}
        onValue={(level) => onFilter({ level })}
      />
      <Choice
        label={words.camera}
        value={filter.channel}
        options={[[EVERY_CAMERA, words.everyCamera] as const, ...cameras]}
        onValue={(channel) => onFilter({ channel })}
      />
      <Choice
        label={words.age}
        value={filter.age}
        options={(Object.keys(AGES) as Age[]).map((name) => [name, words.ages[name]] as const)}
        onValue={(age) => onFilter({ age })}
      />
      <Field
        label={words.text}
        type="search"
        value={typed.value}
        maxLength={200}
        autocomplete="off"
        onValue={(value) => (typed.value = value)}
      />
      <Button type="submit">{words.readAgain}</Button>
    </form>
  );
}

function Lines({ answer }: { readonly answer: ServiceLog }) {
  const words = logWords();
  const format = timeFormat(locale.value, { dateStyle: "short", timeStyle: "medium" });
  const nameOf = (id: string | null) => (channels.value ?? []).find(({ Id }) => Id === id)?.Name;
  if (answer.Lines.length === 0) return <p>{words.nothing}</p>;
  return (
    <ol class="log-lines" aria-label={words.lines}>
      {answer.Lines.map(({ Time, Level, Text, ChannelId }, index) => {
        const camera = nameOf(ChannelId);
        return (
          <li key={`${Time} ${index}`} class={`log-line ${Level.toLowerCase()}`}>
            <p class="hint">
              {`${format.format(Date.parse(Time))} · ${words.levelNames[Level]}${camera === undefined ? "" : ` · ${camera}`}`}
            </p>
            <LineText text={Text} />
          </li>
        );
      })}
    </ol>
  );
}

/** The message, and smaller what goes with it. */
function LineText({ text }: { readonly text: string }) {
  const [, message = text, details = ""] = /^(.*?)( \(.*\))?$/s.exec(text) ?? [];
  return (
    <p lang="en">
      {message}
      <span class="hint">{details}</span>
    </p>
  );
}

function readLog({ level, channel, age, text, limit }: Filter): Promise<ServiceLog> {
  const asked = {
    level,
    limit,
    channel: channel === EVERY_CAMERA ? undefined : channel,
    text: text === "" ? undefined : text,
    since: age === "all" ? undefined : new Date(recorderNow() - AGES[age]).toISOString(),
  };
  return requestJson<ServiceLog>(addressOf("/api/system/log", asked));
}
