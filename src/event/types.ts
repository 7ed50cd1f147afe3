import type { Guid } from "../base/index.js";

/** As in the reference: 0 information, 1 alarm, 2 error. */
export type EventCategory = 0 | 1 | 2;
/** As in the reference: 0 system, 1 user, 2 scenario, 3 user scenario, 4 scheduled task, 8 external module. */
export type EventInitiatorType = 0 | 1 | 2 | 3 | 4 | 8;

export interface EventInitiator {
  readonly type: EventInitiatorType;
  /** The user's id; the empty GUID for the system. */
  readonly id: Guid;
  /** As /event shows it: `System`, `ExternalEvent`, a user's name. */
  readonly name: string;
}

/** A type of the catalogue. */
export interface EventType {
  readonly id: Guid;
  /** The text in GuiName and EventDescription. */
  readonly name: string;
  readonly category: EventCategory;
}

/** A source's input. */
export interface EventInput {
  /** A type of the catalogue. */
  readonly typeId: Guid;
  /** Unix microseconds; by default the time at which it is raised. */
  readonly timeUs?: number;
  /** Absent: not related to a camera. */
  readonly channelId?: Guid;
  /** The camera's name at that time. */
  readonly channelName?: string;
  readonly comment?: string;
  /** The type's name when absent. */
  readonly description?: string;
  /** The type's when absent. */
  readonly category?: EventCategory;
  /** The system when absent. */
  readonly initiator?: EventInitiator;
  /** Members of analytics events beyond those above, under the API's names. */
  readonly fields?: Readonly<Record<string, string | readonly string[]>>;
}

/** An event as it is stored and sent. */
export interface EventRecord {
  /** Rises with every event of this log. */
  readonly sequence: number;
  readonly typeId: Guid;
  /** Unix microseconds. */
  readonly timeUs: number;
  /** The empty GUID when not related to a camera. */
  readonly channelId: Guid;
  readonly channelName: string;
  readonly comment: string;
  readonly description: string;
  readonly category: EventCategory;
  readonly initiator: EventInitiator;
  readonly fields: Readonly<Record<string, string | readonly string[]>> | undefined;
}

/** A text that is looked for in what is shown of events. */
export interface EventText {
  readonly words: string;
  /** Whether an event has it, as whoever asks is shown it; it is asked only of events that may have the words. */
  readonly fits: (event: EventRecord) => boolean;
}

/** The parameters of a search; an absent member matches everything. */
export interface EventQuery {
  /** Unix microseconds, both inclusive. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly typeIds?: ReadonlySet<Guid>;
  /** The empty GUID matches events not related to a camera. */
  readonly channelIds?: ReadonlySet<Guid>;
  readonly categories?: ReadonlySet<EventCategory>;
  readonly initiatorTypes?: ReadonlySet<EventInitiatorType>;
  readonly initiatorIds?: ReadonlySet<Guid>;
  /** With `initiatorIds`: events of external modules count as if their initiator were among them. */
  readonly externalModules?: boolean;
  /** Only events with this text; the answer then has at most `TEXT_EVENTS_MAX`. */
  readonly text?: EventText;
  /** Most events of the answer, 0 to `SEARCH_EVENTS_MAX`. */
  readonly limit: number;
  /** Whether the first or the last events of the interval are returned; ascending in time in both cases. */
  readonly fromBegin: boolean;
  /** Ends the search: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The parameters of `EventLog.moments`. */
export type EventMomentsQuery = Omit<EventQuery, "limit" | "fromBegin" | "text" | "signal">;

/** When events that agree in their searchable properties happened. */
export interface EventMoments {
  readonly typeId: Guid;
  /** The empty GUID when not related to a camera. */
  readonly channelId: Guid;
  readonly category: EventCategory;
  readonly initiatorType: EventInitiatorType;
  readonly initiatorId: Guid;
  /** Unix microseconds, in order. */
  readonly timesUs: readonly number[];
}

export interface EventSubscription {
  close(): void;
}

/** The events as the other rooms see them. */
export interface EventLog {
  /** All event types. */
  readonly types: readonly EventType[];
  /** Unix microseconds: an event of an earlier moment is deleted as soon as it is raised. 0 while the clock is not known. */
  readonly keptSinceUs: number;
  /**
   * Calls the listeners at once and stores the event with the next batch. Does not throw because of external faults (a full
   * disk); throws for an unknown type, which is a programming error.
   */
  raise(input: EventInput): EventRecord;
  /**
   * Returns matching events ascending, in batches of bounded size, including events not yet on the disk. The iteration may end
   * early. Rejects with NvrdError NOT_AVAILABLE if the log cannot be read, because the answer would be incomplete.
   */
  search(query: EventQuery): AsyncIterable<readonly EventRecord[]>;
  /**
   * When matching events happened, each once, in parts and in no order; far cheaper than `search`. Events that are raised
   * meanwhile may be among them. Rejects like `search`.
   */
  moments(query: EventMomentsQuery): AsyncIterable<EventMoments>;
  /** Calls `listener` for each event when it is raised. It must not throw or block. */
  onEvent(listener: (event: EventRecord) => void): EventSubscription;
}
