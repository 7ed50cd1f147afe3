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

interface PageEnd {
  readonly search: string;
  readonly last: Position;
  readonly request: PageRequest;
  readonly atUs: number;
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
 */
export class EventPages {
  /** In the order in which they were noted. */
  readonly #ends: PageEnd[] = [];

  /** An answer to `request` was full, and `last` its last event. */
  note(search: PageSearch, request: PageRequest, last: Position, atUs: number): void {
    const { timeUs, sequence } = last;
    this.#ends.push({ search: keyOf(search), request, last: { timeUs, sequence }, atUs });
    if (this.#ends.length > PAGE_ENDS_MAX) this.#ends.shift();
  }

  /** The event that the request continues behind; undefined where it begins a search. */
  continued(search: PageSearch, request: PageRequest, nowUs: number): Position | undefined {
    const key = keyOf(search);
    const isTold = (end: PageEnd): boolean =>
      end.search === key && nowUs - end.atUs <= PAGE_END_MS_MAX * US_PER_MS && goesOn(request, end);
    return this.#ends.findLast(isTold)?.last;
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
