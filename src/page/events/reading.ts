import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { EVENT_SEARCH_LENGTH_MIN } from "../../contract/index.js";
import { addressOf } from "../state/address.js";
import { recorderNow } from "../state/recorder-time.js";
import { RequestError, requestJson } from "../state/request.js";
import { session } from "../state/session.js";
import { boxZone } from "../state/time-format.js";
import { language } from "../words/language.js";
import { type EventItem, eventTitle, findings } from "./event-item.js";
import { EventFeed } from "./feed.js";
import { CATEGORY_OF_KIND, type EventFilter, initiatorsOf, parametersOf, rangeOf } from "./filter.js";

/** How often newer events are looked for while the page is seen. */
const NEWER_MS = 1000;
/** While the recorder does not answer, or refuses. */
const NEWER_MS_AFTER_FAILURE = 5000;

/** The list of one filter, where a person is in it, and how many events came above that. */
export interface Reading {
  /** The user, the language and the filter. */
  readonly key: string;
  readonly feed: EventFeed;
  readonly scrolled: Signal<number>;
  readonly newer: Signal<number>;
  readonly toTop: () => void;
}

/** The last one, so that who comes back from a recording finds the list as it was. */
let last: Reading | undefined;

/** The list of a filter; it fills for as long as the component is shown. */
export function useReading(filter: EventFilter): Reading {
  const key = JSON.stringify([session.value?.Login, language.value, parametersOf(filter)]);
  const reading = useMemo(() => {
    if (last?.key === key) return last;
    last?.feed.close();
    last = begin(key, filter);
    return last;
  }, [key]);
  useEffect(() => (isLive(filter) ? follow(reading) : undefined), [reading]);
  return reading;
}

/** Whether events of now belong to the list. */
export function isLive(filter: EventFilter): boolean {
  return rangeOf(filter, boxZone.value, recorderNow()).toMs === undefined;
}

function begin(key: string, filter: EventFilter): Reading {
  const { camera, kind, type } = filter;
  const searched = filter.text.trim();
  const initiators = initiatorsOf(filter);
  // The recorder looks for it; what is shorter is looked for here, page by page.
  const isIndexed = searched.length >= EVENT_SEARCH_LENGTH_MIN;
  const feed = new EventFeed({
    search: async (body, signal) => {
      const address = addressOf("/archive_events", { language: language.peek() });
      return await requestJson<EventItem[]>(address, { method: "POST", body, signal });
    },
    where: {
      ...(camera === "" ? {} : { channelIds: [camera] }),
      ...(kind === "" ? {} : { eventCategories: [CATEGORY_OF_KIND[kind]] }),
      ...(type === "" ? {} : { eventIds: [type] }),
      ...(isIndexed ? { text: searched } : {}),
      ...(initiators === undefined ? {} : { eventInitiatorTypes: initiators }),
    },
    range: rangeOf(filter, boxZone.value, recorderNow()),
    ...(searched === "" || isIndexed ? {} : { fits: (item: EventItem) => contains(item, searched) }),
  });
  const [scrolled, newer] = [signal(0), signal(0)];
  const toTop = (): void => {
    newer.value = 0;
    scrolled.value = 0;
  };
  return { key, feed, scrolled, newer, toTop };
}

/** Looks in all that the list shows, in any case. */
function contains(item: EventItem, text: string): boolean {
  const shown = [eventTitle(item), item.ChannelName, item.EventComment, findings(item)].join("\n");
  return shown.toLocaleLowerCase(language.peek()).includes(text.toLocaleLowerCase(language.peek()));
}

/** Looks for newer events until the returned function is called; not while the page is hidden. */
function follow(reading: Reading): () => void {
  const { feed, newer, scrolled } = reading;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const turn = async (): Promise<void> => {
    const waitMs = document.hidden ? NEWER_MS : await look();
    if (!isOver) timer = setTimeout(() => void turn(), waitMs);
  };
  const look = async (): Promise<number> => {
    try {
      const { failure } = feed.state.value;
      if (failure instanceof RequestError && failure.status === 403) return NEWER_MS_AFTER_FAILURE;
      if (failure !== undefined) await feed.loadOlder();
      const came = await feed.loadNewer();
      newer.value = scrolled.value > 0 ? newer.value + came : 0;
      return feed.state.value.failure === undefined ? NEWER_MS : NEWER_MS_AFTER_FAILURE;
    } catch (error) {
      // The shell says that the recorder does not answer; the list says why it refuses.
      if (!(error instanceof RequestError) && !(error instanceof DOMException)) console.error(error);
      return NEWER_MS_AFTER_FAILURE;
    }
  };
  timer = setTimeout(() => void turn(), NEWER_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
