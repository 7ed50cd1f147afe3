import "./review.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Finding } from "../../contract/answer/index.js";
import { Button } from "../control/button.js";
import { errorWords, sayError } from "../control/notice.js";
import { recorderNow } from "../state/recorder-time.js";
import { reachable } from "../state/request.js";
import { note, type Route, route } from "../state/route.js";
import { boxZone } from "../state/time-format.js";
import { commonWords } from "../words/common.js";
import { reviewWords } from "../words/review.js";
import { Cards, type OpenedMessage } from "./cards.js";
import { filterOf, isNarrowed, parametersOf, queryOf, type ReviewFilter } from "./filter.js";
import { FilterBar } from "./filter-bar.js";
import { CARDS_MAX, ReviewFeed } from "./review-feed.js";

/** How often what came meanwhile is asked for. */
const NEWER_MS = 5000;

/** What happened since the user last looked: a card for each stay. */
export function ReviewScreen() {
  const words = reviewWords();
  const { filter, opened, choose } = useFilter();
  const feed = useFeed(filter, opened);
  const zones = feed.items.value.flatMap(({ Zones }) => Zones);
  const lines = feed.items.value.flatMap(({ Line }) => Line ?? []);
  const unseen = feed.stays.value.filter(({ shown }) => !feed.isSeen(shown)).length;
  const markAll = (): void => {
    feed.markAllSeen(recorderNow()).catch(sayError);
  };
  return (
    <div class="review">
      <header class="review-header">
        <h1>{words.title}</h1>
        <span role="status">{unseen === 0 ? words.nothingNew : words.unseen(unseen, isMore(feed))}</span>
        <Button disabled={unseen === 0} onClick={markAll}>
          {words.allSeen}
        </Button>
      </header>
      <FilterBar filter={filter} zones={zones} lines={lines} onFilter={choose} />
      {feed.endsAtMs.value !== undefined && (
        <div class="quiet">
          <Button onClick={() => choose(filter)}>{words.newest}</Button>
        </div>
      )}
      <Cards feed={feed} order={filter.order} opened={opened} onAllSeen={markAll}>
        <ListEnd feed={feed} filter={filter} onAll={() => choose({ ...filter, all: "1" })} />
      </Cards>
    </div>
  );
}

function isMore(feed: ReviewFeed): boolean {
  return !feed.state.value.ended;
}

interface Filtered {
  readonly filter: ReviewFilter;
  readonly opened: OpenedMessage | undefined;
}

/** What the address that was followed last says, until something else is chosen. */
function useFilter(): Filtered & { readonly choose: (filter: ReviewFilter) => void } {
  const chosen = useSignal<{ readonly since: Route; readonly filter: ReviewFilter } | undefined>(undefined);
  const now = route.value;
  const asked = useMemo(() => filteredBy(now.parameters), [now]);
  const choose = (filter: ReviewFilter): void => {
    chosen.value = { since: now, filter };
    note(parametersOf(filter));
  };
  if (chosen.value?.since !== now) return { ...asked, choose };
  return { filter: chosen.value.filter, opened: undefined, choose };
}

function filteredBy(parameters: URLSearchParams): Filtered {
  const atMs = Number(parameters.get("time") ?? Number.NaN);
  return { filter: filterOf(parameters), opened: Number.isFinite(atMs) ? { atMs } : undefined };
}

/** A feed for the filter, which is read and kept up while the screen is shown. */
function useFeed(filter: ReviewFilter, opened: OpenedMessage | undefined): ReviewFeed {
  const key = JSON.stringify([{ ...filter, order: "" }, opened?.atMs]);
  const feed = useMemo(
    () => new ReviewFeed(() => queryOf(filter, boxZone.peek(), recorderNow()), opened?.atMs),
    [key],
  );
  const isThere = reachable.value;
  useEffect(() => {
    if (!isThere) return;
    void feed.keepUp();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void feed.keepUp();
    }, NEWER_MS);
    return () => clearInterval(timer);
  }, [feed, isThere]);
  useEffect(() => () => feed.close(), [feed]);
  return feed;
}

interface ListEndProps {
  readonly feed: ReviewFeed;
  readonly filter: ReviewFilter;
  readonly onAll: () => void;
}

/** What stands below the last card: why the list ends there, and what can be done. */
function ListEnd({ feed, filter, onAll }: ListEndProps) {
  const words = reviewWords();
  const { isBegun, loading, ended, isReading, failure } = feed.state.value;
  const items: readonly Finding[] = feed.items.value;
  if (failure !== undefined) {
    return (
      <div class="quiet" role="alert">
        <p>{errorWords(failure)}</p>
        <Button onClick={() => void feed.loadOlder()}>{commonWords().retry}</Button>
      </div>
    );
  }
  if (loading || !isBegun) return <p class="quiet">{commonWords().loading}</p>;
  if (items.length >= CARDS_MAX) return <p class="quiet">{words.full}</p>;
  if (!ended)
    return (
      <div class="quiet">
        <Button onClick={() => void feed.loadOlder()}>{words.older}</Button>
      </div>
    );
  return (
    <div class="quiet">
      {isReading && <p>{words.isReading}</p>}
      <p>
        {items.length > 0
          ? words.end
          : isNarrowed(filter)
            ? words.emptyFiltered
            : words.empty(filter.all === "")}
      </p>
      {filter.all === "" && <Button onClick={onAll}>{words.seenToo}</Button>}
    </div>
  );
}
