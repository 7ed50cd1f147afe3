import { beforeEach, describe, expect, it } from "vitest";
import type { EventItem, EventSearch } from "../../../src/page/events/event-item.js";
import { EventFeed, type EventFeedOptions, LIST_EVENTS_MAX } from "../../../src/page/events/feed.js";

const NINE_MS = Date.UTC(2026, 10, 23, 9);
const EMPTY = "00000000-0000-0000-0000-000000000000";

/** The event log, as `POST /archive_events` answers from it. */
let log: EventItem[];
let asked: EventSearch[];
let failure: Error | undefined;

beforeEach(() => {
  [log, asked, failure] = [[], [], undefined];
});

function add(count: number, spacingMs = 1000, comment = "visitor"): void {
  const last = log.at(-1);
  const fromMs = last === undefined ? NINE_MS : Date.parse(last.Timestamp) + spacingMs;
  for (let index = 0; index < count; index += 1)
    log.push(event(fromMs + index * spacingMs, `${comment} ${log.length}`));
}

function event(timeMs: number, comment: string): EventItem {
  const Timestamp = `${new Date(timeMs).toISOString().slice(0, -1)}0000Z`;
  return {
    ChannelId: EMPTY,
    ChannelName: "",
    EventId: EMPTY,
    EventCategory: 0,
    EventComment: comment,
    EventDescription: "",
    Event: null,
    Timestamp,
  };
}

async function search(body: EventSearch): Promise<EventItem[]> {
  asked.push(body);
  if (failure !== undefined) throw failure;
  const time = (text: string | undefined): string | undefined => text?.replace(" ", "T");
  const [from = "", to = "9"] = [time(body.startTimeUtc), time(body.endTimeUtc)];
  const plain = ({ Timestamp }: EventItem): string => Timestamp.slice(0, -1);
  return log
    .toSorted((one, other) => (one.Timestamp < other.Timestamp ? -1 : 1))
    .filter((item) => plain(item) >= from && plain(item) <= to.padEnd(27, "0"))
    .slice(-body.searchLimitCount);
}

const feedOf = (options: Partial<EventFeedOptions> = {}): EventFeed =>
  new EventFeed({ search, where: {}, range: {}, ...options });
const comments = (feed: EventFeed): string[] => feed.items.value.map(({ EventComment }) => EventComment);
const expected = (): string[] => log.map(({ EventComment }) => EventComment).toReversed();

describe("the list of events", () => {
  it("has every event once, newest first, page by page back to the first", async () => {
    add(350);
    const feed = feedOf();
    for (let pages = 0; pages < 10 && !feed.state.value.ended; pages += 1) await feed.loadOlder();
    expect(comments(feed)).toEqual(expected());
  });

  it("has all events of a moment that has more of them than a page", async () => {
    add(20);
    add(450, 0);
    add(20);
    const feed = feedOf();
    for (let pages = 0; pages < 20 && !feed.state.value.ended; pages += 1) await feed.loadOlder();
    expect(comments(feed).toSorted()).toEqual(expected().toSorted());
  });

  it("puts newer events on top, and events that are dated back a little where they belong", async () => {
    add(5);
    const feed = feedOf();
    await feed.loadOlder();
    log.push(event(NINE_MS + 1500, "late"));
    add(2);
    expect(await feed.loadNewer()).toBe(3);
    expect(await feed.loadNewer()).toBe(0);
    expect(comments(feed).indexOf("late")).toBe(comments(feed).indexOf("visitor 1") - 1);
    expect(comments(feed)).toHaveLength(8);
  });

  it("fills when the log was empty", async () => {
    const feed = feedOf();
    await feed.loadOlder();
    expect(feed.state.value.ended).toBe(true);
    add(3);
    expect(await feed.loadNewer()).toBe(3);
    expect(comments(feed)).toEqual(expected());
  });

  it("begins anew where more came than one answer holds, so that no gap is hidden", async () => {
    add(50);
    const feed = feedOf();
    await feed.loadOlder();
    add(3000);
    await feed.loadNewer();
    expect(comments(feed)).toEqual(expected().slice(0, 1000));
    for (let pages = 0; pages < 40 && !feed.state.value.ended; pages += 1) await feed.loadOlder();
    expect(comments(feed)).toEqual(expected());
  });

  it("holds a bounded number of events: the oldest leave it", async () => {
    add(LIST_EVENTS_MAX - 500);
    const feed = feedOf({ fits: () => true });
    while (!feed.state.value.ended) await feed.loadOlder();
    add(900);
    await feed.loadNewer();
    expect(comments(feed)).toEqual(expected().slice(0, LIST_EVENTS_MAX));
    const before = asked.length;
    await feed.loadOlder();
    expect(asked.length).toBe(before);
  });

  it("stays within its range", async () => {
    add(100);
    const feed = feedOf({ range: { fromMs: NINE_MS + 10_000, toMs: NINE_MS + 19_500 } });
    await feed.loadOlder();
    expect(comments(feed)).toEqual(expected().slice(80, 90));
  });

  it("looks for a text in steps, and says how far back it has looked", async () => {
    add(1, 1000, "needle");
    add(25_000, 10);
    const feed = feedOf({ fits: ({ EventComment }) => EventComment.startsWith("needle") });
    await feed.loadOlder();
    const { ended, searchedTo } = feed.state.value;
    expect([ended, comments(feed)]).toEqual([false, []]);
    expect(searchedTo).toBe(log[15_010]?.Timestamp);
    for (let steps = 0; steps < 5 && !feed.state.value.ended; steps += 1) await feed.loadOlder();
    expect([feed.state.value.ended, comments(feed)]).toEqual([true, ["needle 0"]]);
  });

  it("says why it could not go on, and goes on when asked again", async () => {
    add(10);
    const feed = feedOf();
    failure = new Error("no answer");
    await feed.loadOlder();
    expect(feed.state.value.failure).toBe(failure);
    expect(await feed.loadNewer()).toBe(0);
    failure = undefined;
    await feed.loadOlder();
    expect(comments(feed)).toEqual(expected());
  });
});
