import type { Access, Credentials } from "../../access/index.js";
import { type Clock, type ClockTimer, EMPTY_GUID } from "../../base/index.js";
import {
  EVENT_TYPES,
  type EventLog,
  type EventRecord,
  type EventSubscription,
  EXTERNAL_INITIATOR_NAME,
} from "../../event/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import { formatKeepAlive, formatLiveItem } from "./event-item.js";
import { EventListener, type EventListenerOptions, type SharedItem } from "./event-listener.js";
import type { EventPages } from "./event-pages.js";
import type { EventRate } from "./event-rate.js";
import type { EventSearches } from "./event-searches.js";
import { shownEvent } from "./event-visibility.js";

/** What the routes of this topic work with. */
export interface EventNeeds {
  readonly site: SiteStore;
  readonly events: EventLog;
  readonly eventFeed: EventFeed;
  readonly eventSearches: EventSearches;
  readonly eventPages: EventPages;
  readonly eventRate: EventRate;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}

/** How often listeners are checked for keep-alives: a quarter of the interval. */
const TICK_MS = 250;
/** How often listeners that asked for a demonstration get a virtual event. */
export const DEMO_PERIOD_MS = 3000;
/** Their numbers, one after another. */
const DEMO_PLATES = ["A001AA77", "B123CE50", "H456OP99"];

export interface EventFeedOptions {
  readonly events: EventLog;
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly access: Access;
  readonly clock: Clock;
}

export interface EventCounts {
  /** Number of connected clients. */
  readonly listeners: number;
  /** Number of formatted events; each is formatted at most once. */
  readonly formatted: number;
  /** Number of items dropped for slow clients. */
  readonly dropped: number;
}

export type FeedListenerOptions = Omit<EventListenerOptions, "clock"> & { readonly credentials: Credentials };

/** Sends live events to the clients of /event; each is formatted once for all clients. */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #listeners = new Map<EventListener, Credentials>();
  /** Listeners with something to send at the end of this turn. */
  readonly #due = new Set<EventListener>();
  #subscription: EventSubscription | undefined;
  #timer: ClockTimer | undefined;
  #demoSentUs = 0;
  #formatted = 0;
  /** Items dropped by listeners that have been removed. */
  #droppedBefore = 0;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    options.site.onChange("rights", () => this.#recheckRights());
  }

  get counts(): EventCounts {
    let dropped = this.#droppedBefore;
    for (const listener of this.#listeners.keys()) dropped += listener.dropped;
    return { listeners: this.#listeners.size, formatted: this.#formatted, dropped };
  }

  /** Starts sending events to a client, until `remove`. */
  add(options: FeedListenerOptions): EventListener {
    const { clock } = this.#options;
    const listener = new EventListener({ ...options, clock });
    this.#listeners.set(listener, options.credentials);
    if (this.#listeners.size === 1) this.#start();
    return listener;
  }

  /** Ends the client's answer and removes it. May be called repeatedly. */
  remove(listener: EventListener): void {
    listener.end();
    this.#due.delete(listener);
    if (!this.#listeners.delete(listener)) return;
    this.#droppedBefore += listener.dropped;
    if (this.#listeners.size === 0) this.#stop();
  }

  #start(): void {
    const { events, clock } = this.#options;
    this.#demoSentUs = clock.monotonicUs();
    this.#subscription = events.onEvent((event) => this.#publish(event, false));
    this.#timer = clock.setInterval(() => this.#tick(), TICK_MS);
  }

  #stop(): void {
    this.#subscription?.close();
    this.#timer?.clear();
  }

  #publish(event: EventRecord, demo: boolean): void {
    const formatted = new Map<string, Uint8Array>();
    const item: SharedItem = {
      event,
      demo,
      bytes: (principal) => {
        const shown = shownEvent(principal, this.#options.site.current.cameras, event);
        // What is left out differs by group.
        const key = shown === event ? "" : principal.group.id;
        const known = formatted.get(key);
        if (known !== undefined) return known;
        this.#formatted += 1;
        const bytes = formatLiveItem(shown);
        formatted.set(key, bytes);
        return bytes;
      },
    };
    for (const listener of this.#listeners.keys()) if (listener.offer(item)) this.#flushLater(listener);
  }

  /** Events raised in one turn are sent together at its end. */
  #flushLater(listener: EventListener): void {
    this.#due.add(listener);
    if (this.#due.size > 1) return;
    queueMicrotask(() => {
      const due = [...this.#due];
      this.#due.clear();
      for (const each of due) each.flush();
    });
  }

  #tick(): void {
    const { clock, events } = this.#options;
    const nowUs = clock.monotonicUs();
    if (nowUs - this.#demoSentUs >= DEMO_PERIOD_MS * 1000) {
      this.#demoSentUs = nowUs;
      const { id } = EVENT_TYPES.plateRecognized;
      const description = events.types.find((type) => type.id === id)?.name ?? "";
      this.#publish(virtualPlate(clock.nowUs(), description), true);
    }
    let bytes: Uint8Array | undefined;
    const keepAlive = (): Uint8Array => {
      bytes ??= formatKeepAlive(EVENT_TYPES.keepAlive.id, clock.nowUs());
      return bytes;
    };
    for (const listener of [...this.#listeners.keys()]) listener.tick(keepAlive);
  }

  /** From now on nothing is sent under the rights of the previous configuration. */
  #recheckRights(): void {
    for (const [listener, credentials] of [...this.#listeners])
      listener.setPrincipal(this.#options.access.recall(credentials));
  }
}

/** A plate event of mode=demo: a number and otherwise empty and zero values, tied to no camera, kept nowhere. */
function virtualPlate(timeUs: number, description: string): EventRecord {
  const [plateText = ""] = DEMO_PLATES.slice(
    Math.floor(timeUs / (DEMO_PERIOD_MS * 1000)) % DEMO_PLATES.length,
  );
  return {
    sequence: 0,
    typeId: EVENT_TYPES.plateRecognized.id,
    timeUs,
    channelId: EMPTY_GUID,
    channelName: "",
    comment: "",
    description,
    category: 0,
    // Programs leave out what the system itself says.
    initiator: { type: 8, id: EMPTY_GUID, name: EXTERNAL_INITIATOR_NAME },
    fields: { plateText, Numberplate: plateText },
  };
}
