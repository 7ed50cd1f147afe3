import "./review.css";
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Finding } from "../../contract/answer/index.js";
import { Button } from "../control/button.js";
import { errorWords, sayError } from "../control/notice.js";
import { recorderNow } from "../playback/watch/model.js";
import { reachable } from "../state/request.js";
import { note, route } from "../state/route.js";
import { boxZone } from "../state/time-format.js";
import { commonWords } from "../words/common.js";
import { reviewWords } from "../words/review.js";
import { Cards } from "./cards.js";
import { filterOf, isNarrowed, parametersOf, queryOf, type ReviewFilter } from "./filter.js";
import { FilterBar } from "./filter-bar.js";
import { CARDS_MAX, ReviewFeed } from "./review-feed.js";

/** How often what came meanwhile is asked for. */
const NEWER_MS = 5000;

/** What happened since the user last looked: a card for each stay. */
export function ReviewScreen() {
  const words = reviewWords();
  const filter = useSignal(filterOf(route.value.parameters));
  useEffect(() => {
    filter.value = filterOf(route.value.parameters);
  }, [route.value]);
  const feed = useFeed(filter.value);
  const zones = useComputed(() => feed.items.value.flatMap(({ Zones }) => Zones));
  const choose = (chosen: ReviewFilter): void => {
    filter.value = chosen;
    note(parametersOf(chosen));
  };
  const unseen = feed.items.value.filter((finding) => !feed.isSeen(finding)).length;
  const markAll = (): void => {
    feed.markAllSeen(new Date(recorderNow()).toISOString()).catch(sayError);
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
      <FilterBar filter={filter.value} zones={zones.value} onFilter={choose} />
      <Cards
        feed={feed}
        order={filter.value.order}
        openAt={openAtOf(route.value.parameters)}
        onAllSeen={markAll}
      >
        <ListEnd feed={feed} filter={filter.value} onAll={() => choose({ ...filter.value, all: "1" })} />
      </Cards>
    </div>
  );
}

function isMore(feed: ReviewFeed): boolean {
  return !feed.state.value.ended;
}

/** The moment that a message leads to. */
function openAtOf(parameters: URLSearchParams): number | undefined {
  const time = Number(parameters.get("time") ?? Number.NaN);
  return Number.isFinite(time) ? time : undefined;
}

/** A feed for the filter, which is read and kept up while the screen is shown. */
function useFeed(filter: ReviewFilter): ReviewFeed {
  const key = JSON.stringify({ ...filter, order: "" });
  const feed = useMemo(() => new ReviewFeed(() => queryOf(filter, boxZone.peek(), recorderNow())), [key]);
  useEffect(() => {
    void feed.loadOlder();
    const timer = setInterval(() => {
      // That the recorder does not answer is said by the frame.
      if (document.visibilityState === "visible" && reachable.peek())
        feed.loadNewer().catch((error: unknown) => console.warn("newer findings cannot be read", error));
    }, NEWER_MS);
    return () => {
      clearInterval(timer);
      feed.close();
    };
  }, [feed]);
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
  const { loading, ended, isReading, failure } = feed.state.value;
  const items: readonly Finding[] = feed.items.value;
  if (failure !== undefined) {
    return (
      <div class="quiet" role="alert">
        <p>{errorWords(failure)}</p>
        <Button onClick={() => void feed.loadOlder()}>{commonWords().retry}</Button>
      </div>
    );
  }
  if (loading) return <p class="quiet">{commonWords().loading}</p>;
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
