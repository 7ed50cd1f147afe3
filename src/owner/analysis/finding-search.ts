import type { Principal } from "../../access/index.js";
import type { Guid } from "../../base/index.js";
import type { EventSearches } from "../../compat/index.js";
import type { EventRecord } from "../../event/index.js";
import type { MotionBox } from "../../recording/index.js";
import { FINDING_TYPES, type FoundThing, foundThing } from "./finding-object.js";

/** Events that one request reads: the rest is for the next page. */
export const EVENTS_READ_MAX = 3000;
const WINDOW_EVENTS = 300;

/** What is searched for; what is absent does not matter. */
export interface FindingQuery {
  readonly fromUs: number;
  readonly toUs: number;
  readonly channelIds: ReadonlySet<Guid>;
  /** Labels or kinds, in small letters. */
  readonly labels: ReadonlySet<string>;
  /** Percent. */
  readonly minConfidence: number;
  /** In small letters, a part of the plate. */
  readonly number: string | undefined;
  /** In small letters, a part of the name. */
  readonly name: string | undefined;
  readonly region: MotionBox | undefined;
  readonly limit: number;
  /** The last finding of the page before. */
  readonly before: Position | undefined;
}

interface Position {
  readonly timeUs: number;
  readonly sequence: number;
}

export interface FindingPage {
  /** The newest first. */
  readonly found: readonly FoundThing[];
  /** Where the next page begins; undefined: there is none. */
  readonly next: Position | undefined;
}

/** A page of findings: events of the log, read from the newest back until enough match or enough were read. */
export async function searchFindings(
  searches: EventSearches,
  principal: Principal,
  query: FindingQuery,
): Promise<FindingPage> {
  const found: FoundThing[] = [];
  let at = query.before;
  let read = 0;
  let window = WINDOW_EVENTS;
  while (read < EVENTS_READ_MAX) {
    const { things, count } = await readWindow(searches, principal, { ...query, before: at, limit: window });
    read += count;
    for (const { position, thing } of things) {
      at = position;
      if (thing !== undefined && isMatch(thing, query)) found.push(thing);
      if (found.length >= query.limit) return { found, next: at };
    }
    if (count < window) return { found, next: undefined };
    // A window that holds nothing but one moment, which was returned already, must become longer.
    if (things.length === 0) window *= 4;
  }
  return { found, next: at };
}

interface Read {
  readonly position: Position;
  readonly thing: FoundThing | undefined;
}

/** The last events before a position, the newest first. */
async function readWindow(
  searches: EventSearches,
  principal: Principal,
  { fromUs, toUs, channelIds, before, limit }: FindingQuery,
): Promise<{ readonly things: readonly Read[]; readonly count: number }> {
  const things: Read[] = [];
  let count = 0;
  const query = { fromUs, toUs: before?.timeUs ?? toUs, channelIds, typeIds: FINDING_TYPES, limit };
  for await (const batch of searches.search(principal, { ...query, fromBegin: false })) {
    count += batch.length;
    for (const event of batch)
      if (before === undefined || isBefore(event, before))
        things.push({ position: positionOf(event), thing: foundThing(event) });
  }
  return { things: things.reverse(), count };
}

function positionOf({ timeUs, sequence }: EventRecord): Position {
  return { timeUs, sequence };
}

function isBefore(one: Position, other: Position): boolean {
  return one.timeUs === other.timeUs ? one.sequence < other.sequence : one.timeUs < other.timeUs;
}

function isMatch(thing: FoundThing, query: FindingQuery): boolean {
  const { labels, minConfidence, number, name, region } = query;
  if (labels.size > 0 && !labels.has(thing.label) && !labels.has(thing.kind)) return false;
  if (minConfidence > 0 && (thing.confidence ?? 0) < minConfidence) return false;
  if (number !== undefined && thing.number?.toLowerCase().includes(number) !== true) return false;
  if (name !== undefined && thing.name?.toLowerCase().includes(name) !== true) return false;
  return region === undefined || (thing.box !== undefined && isTouched(region, thing.box));
}

function isTouched(region: MotionBox, box: MotionBox): boolean {
  return (
    box.left < region.left + region.width &&
    region.left < box.left + box.width &&
    box.top < region.top + region.height &&
    region.top < box.top + box.height
  );
}
