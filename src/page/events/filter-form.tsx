import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { EVENT_SEARCH_LENGTH_MAX } from "../../contract/index.js";
import { Button } from "../control/button.js";
import { Choice, Field } from "../control/field.js";
import { Icon } from "../control/icon.js";
import { channels } from "../state/channels.js";
import { eventsWords } from "../words/events.js";
import { activeFields, EMPTY_GUID, type EventFilter, KINDS, LISTS, NO_FILTER, PERIODS } from "./filter.js";
import { eventTypes } from "./names.js";

/** A text is looked for when it has not been changed for so long. */
const TYPED_MS = 300;

interface FilterFormProps {
  readonly filter: EventFilter;
  readonly onFilter: (filter: EventFilter) => void;
}

/** What the list shows. On a phone it unfolds by a button. */
export function FilterForm({ filter, onFilter }: FilterFormProps) {
  const words = eventsWords();
  const isOpen = useSignal(false);
  const active = activeFields(filter);
  const change = (changed: Partial<EventFilter>): void => onFilter({ ...filter, ...changed });
  return (
    <search class="event-filter">
      <button
        type="button"
        class="button event-unfold"
        aria-expanded={isOpen.value}
        aria-controls="event-filter-fields"
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="search" />
        {active === 0 ? words.filter : words.filterOn(active)}
      </button>
      <div class={isOpen.value ? "event-fields open" : "event-fields"} id="event-filter-fields">
        <Choice
          label={words.lists.label}
          value={filter.list}
          options={LISTS.map((list) => [list, words.lists[list]])}
          onValue={(list) => change({ list })}
        />
        <TextField value={filter.text} onValue={(text) => change({ text })} />
        <Choice
          label={words.camera}
          value={filter.camera}
          options={[
            ["", words.cameras.all],
            ...(channels.value ?? []).map(({ Id, Name }) => [Id, Name] as const),
            [EMPTY_GUID, words.cameras.none],
          ]}
          onValue={(camera) => change({ camera })}
        />
        <Choice
          label={words.kind}
          value={filter.kind}
          options={KINDS.map((kind) => [kind, words.kinds[kind]])}
          onValue={(kind) => change({ kind })}
        />
        <Choice
          label={words.type}
          value={filter.type}
          options={[["", words.allTypes], ...eventTypes.value]}
          onValue={(type) => change({ type })}
        />
        <Choice
          label={words.period}
          value={filter.period}
          options={PERIODS.map((period) => [period, words.periods[period]])}
          onValue={(period) => change({ period })}
        />
        {filter.period === "own" && (
          <>
            <Field
              label={words.from}
              type="datetime-local"
              value={filter.from}
              onValue={(from) => change({ from })}
            />
            <Field
              label={words.to}
              type="datetime-local"
              value={filter.to}
              onValue={(to) => change({ to })}
            />
          </>
        )}
        {active > 0 && <Button onClick={() => onFilter(NO_FILTER)}>{words.clear}</Button>}
      </div>
    </search>
  );
}

interface TextFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Waits until a person has typed: each letter on its own would be a search. */
function TextField({ value, onValue }: TextFieldProps) {
  const typed = useSignal(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const given = useRef(value);
  // What was chosen beside it since it was typed stays chosen.
  const latest = useRef(onValue);
  latest.current = onValue;
  useEffect(() => {
    // What comes back of what was typed before must not take away the letters that were typed since.
    if (value === given.current) return;
    clearTimeout(timer.current);
    typed.value = value;
    given.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Field
      label={eventsWords().text}
      type="search"
      value={typed.value}
      maxLength={EVENT_SEARCH_LENGTH_MAX}
      onValue={(text) => {
        typed.value = text;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          given.current = text;
          latest.current(text);
        }, TYPED_MS);
      }}
    />
  );
}
