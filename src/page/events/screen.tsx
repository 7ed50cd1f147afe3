import "./events.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Button } from "../control/button.js";
import { useKeys } from "../control/keys.js";
import { errorWords, sayError } from "../control/notice.js";
import { useRead } from "../state/reading.js";
import { RequestError } from "../state/request.js";
import { note, route } from "../state/route.js";
import { boxZone } from "../state/time-format.js";
import { commonWords } from "../words/common.js";
import { eventsWords } from "../words/events.js";
import { language } from "../words/language.js";
import { EventDetails } from "./details.js";
import type { EventItem } from "./event-item.js";
import { EventList } from "./event-list.js";
import { LIST_EVENTS_MAX } from "./feed.js";
import { activeFields, type EventFilter, filterOf, NO_FILTER, parametersOf } from "./filter.js";
import { FilterForm } from "./filter-form.js";
import { dateAndTime } from "./moment.js";
import { readEventNames } from "./names.js";
import { EventPictures } from "./pictures.js";
import { isLive, type Reading, useReading } from "./reading.js";

/** What happened, the newest first: fills by itself, is filtered, and leads to the recording of each event. */
export function EventsScreen() {
  const filter = useSignal(filterOf(route.value.parameters));
  const pictures = useMemo(() => new EventPictures(), []);
  const shown = useSignal<EventItem | undefined>(undefined);
  const reading = useReading(filter.value);
  useRead(readEventNames, sayError, [language.value]);
  useEffect(() => () => pictures.clear(), []);
  useEffect(() => {
    filter.value = filterOf(route.value.parameters);
  }, [route.value]);
  useSearchKey();
  const choose = (chosen: EventFilter): void => {
    filter.value = chosen;
    note(parametersOf(chosen));
  };
  return (
    <div class="events">
      <EventsHeader filter={filter.value} />
      <FilterForm filter={filter.value} onFilter={choose} />
      <NewerEvents reading={reading} />
      <EventList
        key={reading.key}
        items={reading.feed.items}
        pictures={pictures}
        scrolled={reading.scrolled}
        onNearEnd={() => void reading.feed.loadOlder()}
        onDetails={(item) => (shown.value = item)}
      >
        <ListEnd reading={reading} filter={filter.value} onClear={() => choose(NO_FILTER)} />
      </EventList>
      {shown.value !== undefined && (
        <EventDetails item={shown.value} pictures={pictures} onClose={() => (shown.value = undefined)} />
      )}
    </div>
  );
}

function EventsHeader({ filter }: { readonly filter: EventFilter }) {
  const words = eventsWords();
  return (
    <header class="events-header">
      <h1>{words.title}</h1>
      {isLive(filter) && (
        <span class="events-live" title={words.liveHint}>
          {words.live}
        </span>
      )}
      <span class="events-zone">{words.zone(boxZone.value.name)}</span>
    </header>
  );
}

/** Says how many events came above what is seen, and leads there. */
function NewerEvents({ reading }: { readonly reading: Reading }) {
  const { newer, scrolled } = reading;
  const isShown = newer.value > 0 && scrolled.value > 0;
  return (
    <div class="events-newer" role="status">
      {isShown && (
        <button type="button" class="button main" onClick={reading.toTop}>
          {eventsWords().newer(newer.value)}
        </button>
      )}
    </div>
  );
}

interface ListEndProps {
  readonly reading: Reading;
  readonly filter: EventFilter;
  readonly onClear: () => void;
}

/** What stands below the last event: why the list ends there, and what can be done. */
function ListEnd({ reading, filter, onClear }: ListEndProps) {
  const words = eventsWords();
  const { feed } = reading;
  const { loading, ended, failure, searchedTo } = feed.state.value;
  const count = feed.items.value.length;
  const isFiltered = activeFields(filter) > 0;
  const goOn = (): void => void feed.loadOlder();
  if (failure !== undefined) {
    return (
      <div class="quiet" role="alert">
        <p>{isForbidden(failure) ? words.forbidden : errorWords(failure)}</p>
        {!isForbidden(failure) && <Button onClick={goOn}>{commonWords().retry}</Button>}
      </div>
    );
  }
  if (count >= LIST_EVENTS_MAX) return <p class="quiet">{words.full(count)}</p>;
  if (loading) return <p class="quiet">{commonWords().loading}</p>;
  if (searchedTo !== undefined) {
    return (
      <div class="quiet">
        <p>{words.searchedTo(dateAndTime(Date.parse(searchedTo)))}</p>
        <Button onClick={goOn}>{words.searchOn}</Button>
      </div>
    );
  }
  if (!ended) return null;
  if (count > 0) return <p class="quiet">{isFiltered ? words.endFiltered : words.end}</p>;
  return (
    <div class="quiet">
      <p>{isFiltered ? words.emptyFiltered : words.empty}</p>
      {isFiltered && <Button onClick={onClear}>{words.clear}</Button>}
    </div>
  );
}

function isForbidden(failure: unknown): boolean {
  return failure instanceof RequestError && failure.status === 403;
}

/** `/` goes to the field for a text, as in many programs. */
function useSearchKey(): void {
  const bindings = useMemo(() => {
    const act = (): void =>
      document.querySelector<HTMLInputElement>(".event-filter input[type=search]")?.focus();
    return [{ key: "/", words: eventsWords().keyText, act }];
  }, [language.value]);
  useKeys(bindings);
}
