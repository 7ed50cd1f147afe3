import { type Guid, inTurns, SEEN_KINDS, type SeenKind } from "../base/index.js";
import type { DaySection } from "./day-file.js";
import {
  FINDING_DIRECTIONS,
  FINDING_SOURCES,
  type Finding,
  type FindingBox,
  type FindingDirection,
  type FindingSource,
  findingId,
} from "./finding.js";
import { dayAfter, dayOf, type FindingIndex } from "./finding-index.js";
import { type FindingRows, kindNumber, type RowFilter, type WordGroup } from "./finding-rows.js";
import { kindsOfWord } from "./kind-words.js";

/** Words of a text that are searched; further ones are ignored. */
const SEARCH_WORDS_MAX = 8;
/** Work between two turns of the event loop, some milliseconds: rows and words that are looked at, where a row that fits counts as many. */
const TURN_COST = 4096;
const FOUND_COST = 32;

/** What is looked for; empty lists and texts: anything. */
export interface FindingQuery {
  /** The channels that may be seen, and their names. */
  readonly channels: ReadonlyMap<Guid, string>;
  readonly kinds: readonly SeenKind[];
  /** Labels or kinds, as analysers say them. */
  readonly labels: readonly string[];
  readonly sources: readonly FindingSource[];
  readonly zones: readonly string[];
  /** Names of lines that were crossed. */
  readonly lines: readonly string[];
  readonly direction: FindingDirection | undefined;
  readonly fromUs: number;
  readonly toUs: number;
  /** Part of the picture. */
  readonly sizeMin: number;
  readonly scoreMin: number;
  /** What touches it at its best picture. */
  readonly region: FindingBox | undefined;
  /** Each of its words is a kind, or the begin of a word of a label, zone, line, name or camera. */
  readonly text: string;
  /** A part of the number of a plate, or of the name of a face. */
  readonly plate: string;
  readonly name: string;
  /** Whether one is looked for at all; when absent, each is. */
  readonly isWanted?: (finding: { readonly id: string; readonly beginUs: number }) => boolean;
  readonly limit: number;
  /** The last of the page before. */
  readonly before: FindingPosition | undefined;
  /** Ends the search: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

interface FindingPosition {
  readonly channelId: Guid;
  readonly beginUs: number;
}

export interface FindingPage {
  /** The newest first, without their paths. */
  readonly findings: readonly Finding[];
  readonly hasMore: boolean;
}

/** Newest first; of one moment by channel. */
function isBefore(one: FindingPosition, other: FindingPosition): boolean {
  return one.beginUs === other.beginUs ? one.channelId < other.channelId : one.beginUs < other.beginUs;
}

/** A search through the rows, day by day from the newest. Other work goes on meanwhile. */
export async function searchFindings(index: FindingIndex, query: FindingQuery): Promise<FindingPage> {
  const { channels, limit } = query;
  const lastDay = dayOf(Math.min(query.toUs, query.before?.beginUs ?? Number.MAX_SAFE_INTEGER, YEAR_9999_US));
  // What began on the day before may last into the time that is searched.
  const firstDay = dayAfter(dayOf(Math.min(query.fromUs, YEAR_9999_US)), query.fromUs > DAY_US ? -1 : 0);
  const found: Finding[] = [];
  const turn = { left: TURN_COST };
  for (const day of index.days()) {
    if (day > lastDay) continue;
    if (day < firstDay || found.length > limit) break;
    let ofDay: readonly Finding[] = [];
    for await (const section of index.sections(day, (channelId) => channels.has(channelId))) {
      query.signal?.throwIfAborted();
      const more = await inTurns(matchesOf(section, query, turn));
      if (more.length > 0) ofDay = newestOf([...ofDay, ...more], limit + 1);
    }
    found.push(...ofDay);
  }
  return { findings: found.slice(0, limit), hasMore: found.length > limit };
}

const DAY_US = 86_400_000_000;
const YEAR_9999_US = Date.UTC(9999, 0) * 1000;

/** Each once: one that is on two volumes, or on its way to one, is as it was seen last. */
function newestOf(findings: readonly Finding[], count: number): readonly Finding[] {
  const byId = new Map<string, Finding>();
  for (const finding of findings) {
    const known = byId.get(finding.id);
    if (known === undefined || known.seenUs < finding.seenUs) byId.set(finding.id, finding);
  }
  return [...byId.values()].sort((one, other) => (isBefore(one, other) ? 1 : -1)).slice(0, count);
}

/** What is left of a turn of the event loop. */
interface Turn {
  left: number;
}

/** Of a section, the newest of what is looked for; at most one more than a page. It may grow between two turns. */
function* matchesOf(
  { rows }: DaySection,
  query: FindingQuery,
  turn: Turn,
): Generator<undefined, readonly Finding[]> {
  const filter = yield* filterOf(rows, query, turn);
  if (filter === undefined) return [];
  const { fromUs, toUs, before, limit } = query;
  const found: Finding[] = [];
  const lastUs = Math.min(toUs, before?.beginUs ?? toUs);
  for (let row = rows.firstAfter(lastUs) - 1; row >= 0 && found.length <= limit; row--) {
    const position = { channelId: rows.channelId, beginUs: rows.begin(row) };
    turn.left -= 1;
    if (turn.left <= 0) {
      turn.left = TURN_COST;
      yield;
      const now = rows.rowOf(position.beginUs);
      row = now ?? rows.firstAfter(position.beginUs);
      if (now === undefined) continue;
    }
    if (rows.seen(row) < fromUs || (before !== undefined && !isBefore(position, before))) continue;
    if (!rows.matches(row, filter)) continue;
    const isWanted =
      query.isWanted?.({ id: findingId(rows.channelId, position.beginUs), ...position }) ?? true;
    if (!isWanted) continue;
    turn.left -= FOUND_COST;
    found.push(rows.finding(row));
  }
  return found;
}

/** Words as the numbers that they have in a section; undefined: nothing of it is looked for. */
function* filterOf(
  rows: FindingRows,
  query: FindingQuery,
  turn: Turn,
): Generator<undefined, RowFilter | undefined> {
  const groups: WordGroup[] = [];
  for (const word of wordsOf(query.text)) {
    if (startsAWord(query.channels.get(rows.channelId) ?? "", word)) continue;
    const words = yield* numbersOf(rows, (text) => startsAWord(text, word), turn);
    const kinds = kindsOfWord(word);
    groups.push({ kinds: numbers(kinds), words, places: "any", crossed: kinds.includes("lineCrossed") });
  }
  for (const [wanted, places, fits] of wordLists(query)) {
    if (wanted.length === 0) continue;
    const kinds = places === "label" ? SEEN_KINDS.filter((kind) => wanted.includes(kind.toLowerCase())) : [];
    const words = yield* numbersOf(rows, (text) => wanted.some((one) => fits(text, one)), turn);
    groups.push({ kinds: numbers(kinds), words, places, crossed: false });
  }
  if (groups.some(({ kinds, words }) => kinds.size === 0 && words.size === 0)) return undefined;
  const ofKind = [
    ...query.kinds,
    ...(query.plate === "" ? [] : (["plate"] as const)),
    ...(query.name === "" ? [] : (["face"] as const)),
  ];
  return {
    kinds: ofKind.length === 0 ? undefined : numbers(ofKind),
    // Who crosses a line is a person or a car, and one finding.
    crossed: ofKind.includes("lineCrossed"),
    sources:
      query.sources.length === 0
        ? undefined
        : new Set(query.sources.map((source) => FINDING_SOURCES.indexOf(source))),
    direction: query.direction === undefined ? undefined : FINDING_DIRECTIONS.indexOf(query.direction) + 1,
    sizeMin: query.sizeMin,
    scoreMin: query.scoreMin,
    region: query.region,
    groups,
  };
}

type Fits = (text: string, wanted: string) => boolean;

/** Of each list a row has a word in its place. */
function wordLists({ labels, zones, lines, plate, name }: FindingQuery) {
  const part = (text: string): readonly string[] => (text === "" ? [] : [lower(text)]);
  return [
    [labels.map(lower), "label", isSameWord],
    [zones.map(lower), "zone", isSameWord],
    [lines.map(lower), "line", isSameWord],
    [part(plate), "text", hasPart],
    [part(name), "text", hasPart],
  ] as const satisfies readonly (readonly [readonly string[], WordGroup["places"], Fits])[];
}

function wordsOf(text: string): readonly string[] {
  const words = lower(text).split(/[\s,;]+/u);
  return words.filter((word) => word !== "").slice(0, SEARCH_WORDS_MAX);
}

function* numbersOf(
  rows: FindingRows,
  fits: (text: string) => boolean,
  turn: Turn,
): Generator<undefined, ReadonlySet<number>> {
  const found = new Set<number>();
  for (const [number, text] of rows.words.entries()) {
    if (text !== "" && fits(text)) found.add(number);
    turn.left -= 1;
    if (turn.left > 0) continue;
    turn.left = TURN_COST;
    yield;
  }
  return found;
}

function numbers(kinds: readonly SeenKind[]): ReadonlySet<number> {
  return new Set(kinds.map(kindNumber));
}

function isSameWord(text: string, wanted: string): boolean {
  return lower(text) === wanted;
}

function hasPart(text: string, wanted: string): boolean {
  return lower(text).includes(wanted);
}

/** Whether a word of the text begins so. */
function startsAWord(text: string, wanted: string): boolean {
  const known = lower(text);
  for (let at = known.indexOf(wanted); at !== -1; at = known.indexOf(wanted, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(known[at - 1] ?? "")) return true;
  return false;
}

function lower(text: string): string {
  return text.toLowerCase();
}
