import { type Guid, US_PER_MS, US_PER_SECOND } from "../../base/index.js";
import type { EventRecord } from "../../event/index.js";

/** How long the end of an answer is remembered: a client handles a thousand events in less. */
export const PAGE_END_MS_MAX = 600_000;
/** Ends that are remembered; the oldest gives way. */
export const PAGE_ENDS_MAX = 4096;

const UNITS_US = [1, US_PER_MS, US_PER_SECOND];

/** What a client asks for besides times. */
export interface PageSearch {
  readonly userId: Guid;
  readonly typeId: Guid | undefined;
  readonly channelId: Guid | undefined;
}

export interface PageRequest {
  readonly fromUs: number;
  readonly toUs: number;
}

type Position = Pick<EventRecord, "timeUs" | "sequence">;

/** Where a search begins that goes on from a full answer: behind the last event the client has, or with it. */
export interface PageStart extends Position {
  readonly isIncluded: boolean;
}

interface PageEnd {
  readonly search: string;
  readonly last: Position;
  readonly request: PageRequest;
  readonly atUs: number;
  /** The search that continued it found nothing more. */
  hasEnded: boolean;
}

/** How precisely a time was written: a whole second, a whole millisecond, or finer. */
export function unitOf(timeUs: number): number {
  if (timeUs % US_PER_SECOND === 0) return US_PER_SECOND;
  return timeUs % US_PER_MS === 0 ? US_PER_MS : 1;
}

/**
 * Where full answers of /specialarchiveevents ended. Clients go on from the time of the last event they got, written as
 * precisely as they please, and take an event that comes again for a further one. So a search that begins at such a time
 * continues behind that event: the start alone cannot say which events of a second the client has.
 *
 * Some clients go on while they have a multiple of a thousand events, which none and all of exactly a thousand are. After
 * an empty answer they ask the same for ever, so whoever asks again gets the last event again, and with it an end.
 */
export class EventPages {
  /** In the order in which they were noted. */
  readonly #ends: PageEnd[] = [];

  /** An answer to `request` was full, and `last` its last event. */
  note(search: PageSearch, request: PageRequest, last: Position, atUs: number): void {
    const { timeUs, sequence } = last;
    this.#ends.push({ search: keyOf(search), request, last: { timeUs, sequence }, atUs, hasEnded: false });
    if (this.#ends.length > PAGE_ENDS_MAX) this.#ends.shift();
  }

  /** Where the request goes on; undefined where it begins a search. */
  continued(search: PageSearch, request: PageRequest, nowUs: number): PageStart | undefined {
    const end = this.#find(search, request, nowUs);
    return end && { ...end.last, isIncluded: end.hasEnded };
  }

  /** The answer to a request that went on was empty. */
  noteEmpty(search: PageSearch, request: PageRequest, nowUs: number): void {
    const end = this.#find(search, request, nowUs);
    if (end !== undefined) end.hasEnded = true;
  }

  #find(search: PageSearch, request: PageRequest, nowUs: number): PageEnd | undefined {
    const key = keyOf(search);
    return this.#ends.findLast(
      (end) => end.search === key && nowUs - end.atUs <= PAGE_END_MS_MAX * US_PER_MS && goesOn(request, end),
    );
  }
}

function keyOf({ userId, typeId = "", channelId = "" }: PageSearch): string {
  return `${userId} ${typeId} ${channelId}`;
}

/** A client continues as precisely as it began, or more so, and to the same end or one that moves with the clock. */
function goesOn({ fromUs, toUs }: PageRequest, { last, request }: PageEnd): boolean {
  const unitMax = unitOf(request.fromUs);
  return (
    toUs >= request.toUs &&
    UNITS_US.some((unit) => unit <= unitMax && fromUs === Math.floor(last.timeUs / unit) * unit)
  );
}
