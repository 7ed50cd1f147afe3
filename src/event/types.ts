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
  /** What GuiName and EventDescription say. */
  readonly name: string;
  readonly category: EventCategory;
}

/** A source's input. */
export interface EventInput {
  /** A type of the catalogue. */
  readonly typeId: Guid;
  /** Unix microseconds; the moment it is raised when absent. */
  readonly timeUs?: number;
  /** Absent: tied to no camera. */
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
  /** The empty GUID when tied to no camera. */
  readonly channelId: Guid;
  readonly channelName: string;
  readonly comment: string;
  readonly description: string;
  readonly category: EventCategory;
  readonly initiator: EventInitiator;
  readonly fields: Readonly<Record<string, string | readonly string[]>> | undefined;
}

/** What is searched for; an absent member matches all. */
export interface EventQuery {
  /** Unix microseconds, both inclusive. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly typeIds?: ReadonlySet<Guid>;
  /** The empty GUID matches events tied to no camera. */
  readonly channelIds?: ReadonlySet<Guid>;
  readonly categories?: ReadonlySet<EventCategory>;
  readonly initiatorTypes?: ReadonlySet<EventInitiatorType>;
  readonly initiatorIds?: ReadonlySet<Guid>;
  /** With `initiatorIds`: events of external modules count as if their initiator were among them. */
  readonly externalModules?: boolean;
  /** Most events of the answer, 0 to `SEARCH_EVENTS_MAX`. */
  readonly limit: number;
  /** The first ones of the interval, or the last ones. The answer ascends in time either way. */
  readonly fromBegin: boolean;
}

export interface EventSubscription {
  close(): void;
}

/** The events as the other rooms see them. */
export interface EventLog {
  /** Every type there is. */
  readonly types: readonly EventType[];
  /**
   * Tells the listeners at once and keeps the event with the next batch. Never throws for faults outside the source (a full
   * disk); an unknown type is a programming error and throws.
   */
  raise(input: EventInput): EventRecord;
  /**
   * Ascending, in batches of a bounded size, events not yet on the disk included. The loop may be left early. Rejects with
   * NvrdError NOT_AVAILABLE where the log cannot be read: an answer without what is on the disk would be wrong.
   */
  search(query: EventQuery): AsyncIterable<readonly EventRecord[]>;
  /** Called for each event when it is raised. A listener must not throw and must not wait. */
  onEvent(listener: (event: EventRecord) => void): EventSubscription;
}
