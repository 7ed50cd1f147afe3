import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import {
  type Clock,
  type ClockTimer,
  endsWithin,
  errorText,
  type Guid,
  type Language,
  type Log,
  NvrdError,
} from "../base/index.js";
import { EVENT_TYPES } from "./catalogue.js";
import { recordOf } from "./event-input.js";
import { TIME_US_MAX } from "./event-key.js";
import { EventListeners } from "./event-listeners.js";
import { EventLogOpener } from "./event-log-opener.js";
import { eventMoments } from "./event-moments.js";
import { eventTypesIn } from "./event-names.js";
import { EventQueue, type EventQueueBounds } from "./event-queue.js";
import { EventRedating, type EventShift } from "./event-redating.js";
import { EventRetention } from "./event-retention.js";
import { EventSearch, SEARCH_EVENTS_MAX } from "./event-search.js";
import type { EventStore } from "./event-store.js";
import { SequenceReservation } from "./sequence-reservation.js";
import { EventTextIndex } from "./text-index.js";
import { searchText } from "./text-search.js";
import type {
  EventInput,
  EventLog,
  EventMoments,
  EventMomentsQuery,
  EventQuery,
  EventRecord,
  EventSubscription,
  EventType,
} from "./types.js";

/** How long an event waits to be written to the disk, with those that follow it. A crash loses at most this much. */
const EVENT_FLUSH_INTERVAL_MS = 2000;
/** How often the log is kept within its limits, and the index up to date, while no event comes. */
const UPKEEP_INTERVAL_MS = 30_000;
/** Limits of one commit. If this much is waiting, it is written before the next tick. */
const COMMIT_EVENTS_MAX = 1000;
const COMMIT_BYTES_MAX = 4 * 1024 * 1024;
/** How often written events are added to the index. Rarely, because each one touches a different page. */
const INDEX_INTERVAL_US = 60_000_000;
/** How long a search waits for a log that is being opened. */
const SEARCH_WAIT_MS = 10_000;
const STOP_FLUSH_MS = 2000;
/** How long a stop waits for a log that is being opened, when events wait for it. */
const STOP_OPEN_MS = 3000;
/** How long a commit may take before it is reported as hanging. */
const COMMIT_WARN_MS = 30_000;

export interface LmdbEventLogOptions {
  /**
   * The LMDB environment. Its last part has no dot, because lmdb would treat it as a file. `<directory>-sequence` is created
   * next to it.
   */
  readonly directory: string;
  /** The kernel's id of this boot. */
  readonly bootId: Guid;
  readonly clock: Clock;
  readonly log: Log;
  /** Older events are deleted. */
  readonly days: number;
  /** Maximum size of the log's file, in bytes. */
  readonly bytesMax: number;
  /** Whether the wall clock is known to be right; while it is not, no event is deleted because of its age. */
  readonly isClockKnown: () => boolean;
  /** Default `EVENT_FLUSH_INTERVAL_MS`. */
  readonly flushIntervalMs?: number;
  /** Free bytes that must remain on the disk; default `EVENT_LOG_RESERVE_BYTES`. */
  readonly reserveBytes?: number;
  readonly queueBounds?: EventQueueBounds;
  readonly seriesMax?: number;
  /** Of the names of event types; English when absent. */
  readonly language?: () => Language;
}

export interface EventLogStatus {
  /** Open and searchable. */
  readonly isOpen: boolean;
  /** The last commit failed. */
  readonly isFailing: boolean;
  readonly waitingEvents: number;
  /** Number of events since the start that were not stored. */
  readonly droppedEvents: number;
  readonly damagedRecords: number;
}

/**
 * The event log in LMDB. `raise` only calls the listeners and adds the event to a bounded queue; commits, the index and
 * retention follow. While no event comes, nothing is done but to look at the limits now and then. Faults of the disk do not affect the sources of events.
 */
export class LmdbEventLog implements EventLog {
  readonly #language: () => Language;
  readonly #options: LmdbEventLogOptions;
  readonly #log: Log;
  readonly #queue: EventQueue;
  readonly #listeners: EventListeners;
  readonly #reservation: SequenceReservation;
  readonly #retention: EventRetention;
  readonly #opener: EventLogOpener;
  readonly #texts: EventTextIndex;
  readonly #stopping = new AbortController();
  #store: EventStore | undefined;
  #ready: Promise<void> = Promise.resolve();
  #upkeep: ClockTimer | undefined;
  /** Set while events wait to be written. */
  #nextFlush: ClockTimer | undefined;
  #flushing: Promise<void> | undefined;
  #firstSequence = 1;
  #nextSequence: number | undefined;
  #redating: EventRedating | undefined;
  #wantedShift: { readonly shift: EventShift; readonly lastSequence: number } | undefined;
  #indexedAtUs = 0;
  #isFailing = false;
  #dropped = 0;
  #droppedReported = 0;

  constructor(options: LmdbEventLogOptions) {
    const { clock, days, bytesMax, isClockKnown } = options;
    this.#options = options;
    this.#language = options.language ?? (() => "en");
    this.#log = options.log.child({ part: "events" });
    this.#queue = new EventQueue(options.queueBounds);
    this.#listeners = new EventListeners(this.#log);
    this.#reservation = new SequenceReservation(`${options.directory}-sequence`);
    this.#texts = new EventTextIndex({
      path: `${options.directory}-text`,
      search: (query) => this.#search(query),
      ...{ clock, log: this.#log },
    });
    this.#retention = new EventRetention({ clock, days, bytesMax, isClockKnown });
    this.#opener = new EventLogOpener({
      ...options,
      log: this.#log,
      signal: this.#stopping.signal,
      onLost: (reason) => void this.raise({ typeId: EVENT_TYPES.eventLogLost.id, comment: reason }),
    });
  }

  get types(): readonly EventType[] {
    return eventTypesIn(this.#language());
  }

  get keptSinceUs(): number {
    return this.#retention.keptSinceUs;
  }

  /**
   * Events can be raised when this resolves; the log is checked and opened in the background. Rejects if its directory cannot
   * be created.
   */
  async start(): Promise<void> {
    const { directory, clock, flushIntervalMs = EVENT_FLUSH_INTERVAL_MS } = this.#options;
    await mkdir(path.dirname(directory), { recursive: true });
    this.#firstSequence = await this.#findFirstSequence();
    this.#nextSequence = this.#firstSequence;
    this.#indexedAtUs = clock.monotonicUs();
    const upkeepMs = Math.max(flushIntervalMs, UPKEEP_INTERVAL_MS);
    this.#upkeep = clock.setInterval(() => this.#flushSoon(), upkeepMs);
    this.#ready = this.#open();
  }

  /** Resolves when the log is open, or can never be opened (newer format; see `status`). */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Writes waiting events, for at most 2 s (3 s more if the log is still being opened), and closes the log. */
  async stop(): Promise<void> {
    if (this.#queue.size > 0) await endsWithin(this.#ready, { clock: this.#options.clock, ms: STOP_OPEN_MS });
    this.#stopping.abort();
    this.#upkeep?.clear();
    this.#nextFlush?.clear();
    await this.#ready;
    const inTime = await endsWithin(this.#close(), { clock: this.#options.clock, ms: STOP_FLUSH_MS });
    if (inTime && this.#queue.size === 0) return;
    this.#log.error({ events: this.#queue.size }, "the event log did not close in time: events were lost");
  }

  raise(input: EventInput): EventRecord {
    const sequence = this.#nextSequence;
    if (sequence === undefined) throw new Error("the event log is not started");
    const nowUs = this.#options.clock.nowUs();
    const record = recordOf(input, { sequence, nowUs, language: this.#language() });
    this.#nextSequence = sequence + 1;
    this.#noteDropped(this.#queue.push(record));
    this.#texts.note(record);
    if (this.#queue.size >= COMMIT_EVENTS_MAX && !this.#isFailing) this.#flushSoon();
    else this.#flushLater();
    this.#listeners.notify(record);
    return record;
  }

  /**
   * Waits 10 s for a log that is being opened. Rejects with NvrdError NOT_AVAILABLE if it is not open then, or is closed
   * meanwhile. Throws RangeError for a limit that is not a whole number from 0 to `SEARCH_EVENTS_MAX`.
   */
  search(query: EventQuery): AsyncIterable<readonly EventRecord[]> {
    if (!Number.isInteger(query.limit) || query.limit < 0 || query.limit > SEARCH_EVENTS_MAX)
      throw new RangeError(`no limit of a search: ${query.limit}`);
    const { fromUs, toUs } = query;
    return this.#search({ ...query, fromUs: Math.ceil(fromUs), toUs: Math.floor(toUs) });
  }

  moments(query: EventMomentsQuery): AsyncIterable<EventMoments> {
    const { fromUs, toUs } = query;
    return this.#moments({ ...query, fromUs: Math.ceil(fromUs), toUs: Math.floor(toUs) });
  }

  onEvent(listener: (event: EventRecord) => void): EventSubscription {
    return this.#listeners.add(listener);
  }

  status(): EventLogStatus {
    return {
      isOpen: this.#store !== undefined,
      isFailing: this.#isFailing,
      waitingEvents: this.#queue.size,
      droppedEvents: this.#dropped,
      damagedRecords: this.#store?.environment.damagedRecords ?? 0,
    };
  }

  /**
   * The clock has become known: the events of this boot that were raised before move to their true times. Resolves with their
   * number, or undefined where the log cannot be written now; it goes on with the next write.
   */
  async redate(shift: EventShift): Promise<number | undefined> {
    await this.#ready;
    this.#wantedShift ??= { shift, lastSequence: (this.#nextSequence ?? 1) - 1 };
    await this.flush();
    return this.#redating?.moved;
  }

  /** Resolves when all raised events are written, or writing failed (see `status`). */
  async flush(): Promise<void> {
    await this.#ready;
    while (this.#flushing !== undefined) await this.#flushing;
    this.#flushSoon();
    await this.#flushing;
  }

  async *#search(query: EventQuery): AsyncGenerator<readonly EventRecord[]> {
    const store = await this.#opened();
    if (query.text === undefined) yield* new EventSearch({ store, waiting: this.#queue, query }).batches();
    else {
      const search = (plain: EventQuery) => this.#search(plain);
      yield* searchText(query, { index: this.#texts, search, reach: () => this.#reach() });
    }
  }

  /** When the oldest and the newest event happened. */
  async #reach(): Promise<{ readonly fromUs: number; readonly toUs: number } | undefined> {
    const ends: number[] = [];
    for (const fromBegin of [true, false])
      for await (const [event] of this.#search({ fromUs: 0, toUs: TIME_US_MAX, limit: 1, fromBegin }))
        if (event !== undefined) ends.push(event.timeUs);
    const [fromUs, toUs] = ends;
    return fromUs === undefined || toUs === undefined ? undefined : { fromUs, toUs };
  }

  async *#moments(query: EventMomentsQuery): AsyncGenerator<EventMoments> {
    yield* eventMoments({ store: await this.#opened(), waiting: this.#queue, query });
  }

  async #opened(): Promise<EventStore> {
    if (this.#store === undefined)
      await endsWithin(this.#ready, { clock: this.#options.clock, ms: SEARCH_WAIT_MS });
    if (this.#store === undefined) throw new NvrdError("NOT_AVAILABLE", "the event log is not open");
    return this.#store;
  }

  /** A number that no earlier event has: the reserved one, otherwise the clock in milliseconds; 1 if there is no log yet. */
  async #findFirstSequence(): Promise<number> {
    try {
      const reserved = await this.#reservation.load();
      if (reserved !== undefined) return reserved;
      await stat(path.join(this.#options.directory, "data.mdb"));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return 1;
      this.#log.error({ error: errorText(error) }, "the event log's last number cannot be read");
    }
    return Math.max(1, Math.floor(this.#options.clock.nowUs() / 1000));
  }

  async #open(): Promise<void> {
    try {
      const store = await this.#opener.open();
      if (store === undefined) return;
      if (store.highestSequence >= this.#firstSequence)
        this.#nextSequence = this.#queue.renumber(store.highestSequence + 1);
      const { bootId } = this.#options;
      this.#redating = new EventRedating(store, { bootId, firstSequence: this.#firstOf(store) });
      this.#store = store;
      void this.#texts.start();
      this.#flushSoon();
    } catch (error) {
      this.#log.error({ error: errorText(error) }, "the event log is not used; events are only sent live");
    }
  }

  /** The first event of this run. */
  #firstOf({ highestSequence }: EventStore): number {
    return Math.max(this.#firstSequence, highestSequence + 1);
  }

  async #close(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
    const store = this.#store;
    if (store === undefined) return;
    await this.#texts.stop();
    await this.#flush(store);
    if (!this.#isFailing) await store.indexRecent().catch((error: unknown) => this.#fail(error));
    this.#store = undefined;
    await store.environment.close();
    await this.#opener.closed(!this.#isFailing && store.environment.damagedRecords === 0);
  }

  /** Writes what waits by then; before the log is open, nothing does. */
  #flushLater(): void {
    const { clock, flushIntervalMs = EVENT_FLUSH_INTERVAL_MS } = this.#options;
    if (this.#nextFlush !== undefined || this.#store === undefined || this.#stopping.signal.aborted) return;
    this.#nextFlush = clock.setTimeout(() => this.#flushSoon(), flushIntervalMs);
  }

  /** Starts to write; a running write picks up new events. What cannot be written is tried again. */
  #flushSoon(): void {
    const store = this.#store;
    this.#nextFlush?.clear();
    this.#nextFlush = undefined;
    if (this.#flushing !== undefined || store === undefined) return;
    this.#flushing = this.#flush(store).finally(() => {
      this.#flushing = undefined;
      if (this.#queue.size > 0) this.#flushLater();
    });
  }

  async #flush(store: EventStore): Promise<void> {
    const warning = this.#options.clock.setTimeout(
      () => this.#log.error("a commit of the event log does not finish: check the system disk"),
      COMMIT_WARN_MS,
    );
    try {
      while (
        (await this.#writeBatch(store)) ||
        (await this.#retention.removeBatch(store)) > 0 ||
        (await this.#redateBatch())
      );
      await this.#indexWhenDue(store);
    } catch (error) {
      this.#fail(error);
    } finally {
      warning.clear();
    }
  }

  /** Writes the next events and keeps the log within its limits; false if there were none. */
  async #writeBatch(store: EventStore): Promise<boolean> {
    const batch = this.#queue.take({ eventsMax: COMMIT_EVENTS_MAX, bytesMax: COMMIT_BYTES_MAX });
    if (batch.length === 0) return false;
    const highest = batch.reduce((most, { sequence }) => Math.max(most, sequence), 0);
    await this.#reservation.reserve(highest);
    await store.write(batch);
    this.#queue.settle();
    this.#recover();
    await this.#retention.removeBatch(store);
    return true;
  }

  async #redateBatch(): Promise<boolean> {
    const wanted = this.#wantedShift;
    if (wanted !== undefined) this.#redating?.want(wanted.shift, wanted.lastSequence);
    const step = await this.#redating?.step();
    if (step === undefined) return false;
    if (step.moved > 0) this.#texts.forgetAll();
    return step.isMore;
  }

  async #indexWhenDue(store: EventStore): Promise<void> {
    const nowUs = this.#options.clock.monotonicUs();
    if (nowUs - this.#indexedAtUs < INDEX_INTERVAL_US) return;
    await store.indexRecent();
    this.#indexedAtUs = nowUs;
  }

  #fail(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#log.error(
      { error: errorText(error) },
      "the event log cannot be written; events are queued: retrying",
    );
    this.raise({ typeId: EVENT_TYPES.eventLogFailing.id, comment: errorText(error) });
  }

  #recover(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#log.info("the event log is written again");
    this.raise({ typeId: EVENT_TYPES.eventLogWorks.id });
    const dropped = this.#dropped - this.#droppedReported;
    if (dropped === 0) return;
    this.#droppedReported = this.#dropped;
    this.#log.error({ events: dropped }, "events were dropped while the event log could not be written");
    this.raise({ typeId: EVENT_TYPES.eventsDropped.id, comment: `${dropped} events were not stored` });
  }

  #noteDropped(dropped: number): void {
    if (dropped > 0 && this.#dropped === this.#droppedReported)
      this.#log.error("too many events wait for the event log; the oldest are dropped");
    this.#dropped += dropped;
  }
}
