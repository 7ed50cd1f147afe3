import { type Guid, SEEN_KINDS, type SeenKind } from "../base/index.js";
import type { DaySection } from "./day-file.js";
import { FINDING_SOURCES, type Finding, type FindingBox, type FindingSource, findingId } from "./finding.js";
import { dayAfter, dayOf, type FindingIndex } from "./finding-index.js";
import { type FindingRows, kindNumber, type RowFilter, type WordGroup } from "./finding-rows.js";
import { kindsOfWord } from "./kind-words.js";

/** Words of a text that are searched; further ones are ignored. */
const SEARCH_WORDS_MAX = 8;

/** What is looked for; empty lists and texts: anything. */
export interface FindingQuery {
  /** The channels that may be seen, and their names. */
  readonly channels: ReadonlyMap<Guid, string>;
  readonly kinds: readonly SeenKind[];
  /** Labels or kinds, as analysers say them. */
  readonly labels: readonly string[];
  readonly sources: readonly FindingSource[];
  readonly zones: readonly string[];
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
export function isBefore(one: FindingPosition, other: FindingPosition): boolean {
  return one.beginUs === other.beginUs ? one.channelId < other.channelId : one.beginUs < other.beginUs;
}

/** A search through the rows, day by day from the newest. Other work goes on between two days. */
export async function searchFindings(index: FindingIndex, query: FindingQuery): Promise<FindingPage> {
  const { channels, limit } = query;
  const lastDay = dayOf(Math.min(query.toUs, query.before?.beginUs ?? Number.MAX_SAFE_INTEGER, YEAR_9999_US));
  // What began on the day before may last into the time that is searched.
  const firstDay = dayAfter(dayOf(Math.min(query.fromUs, YEAR_9999_US)), query.fromUs > DAY_US ? -1 : 0);
  const found = new Map<string, Finding>();
  for (const day of index.days()) {
    if (day > lastDay) continue;
    if (day < firstDay || found.size > limit) break;
    const ofDay: Finding[] = [];
    for await (const section of index.sections(day, (channelId) => channels.has(channelId)))
      ofDay.push(...matchesOf(section, query));
    ofDay.sort((one, other) => (isBefore(one, other) ? 1 : -1));
    for (const finding of ofDay.slice(0, limit + 1)) found.set(finding.id, finding);
  }
  const findings = [...found.values()];
  return { findings: findings.slice(0, limit), hasMore: findings.length > limit };
}

const DAY_US = 86_400_000_000;
const YEAR_9999_US = Date.UTC(9999, 0) * 1000;

/** Of a section, the newest of what is looked for; at most one more than a page. */
function matchesOf({ rows }: DaySection, query: FindingQuery): Finding[] {
  const filter = filterOf(rows, query);
  if (filter === undefined) return [];
  const { fromUs, toUs, before, limit } = query;
  const found: Finding[] = [];
  const lastUs = Math.min(toUs, before?.beginUs ?? toUs);
  for (let row = rows.firstAfter(lastUs) - 1; row >= 0 && found.length <= limit; row--) {
    const position = { channelId: rows.channelId, beginUs: rows.begin(row) };
    if (rows.seen(row) < fromUs || (before !== undefined && !isBefore(position, before))) continue;
    if (!rows.matches(row, filter)) continue;
    const isWanted =
      query.isWanted?.({ id: findingId(rows.channelId, position.beginUs), ...position }) ?? true;
    if (isWanted) found.push(rows.finding(row));
  }
  return found;
}

/** Words as the numbers that they have in a section; undefined: nothing of it is looked for. */
function filterOf(rows: FindingRows, query: FindingQuery): RowFilter | undefined {
  const groups: WordGroup[] = [];
  for (const word of wordsOf(query.text)) {
    if (startsAWord(query.channels.get(rows.channelId) ?? "", word)) continue;
    const words = numbersOf(rows, (text) => startsAWord(text, word));
    groups.push({ kinds: numbers(kindsOfWord(word)), words, places: "any" });
  }
  const add = (wanted: readonly string[], places: WordGroup["places"], fits: Fits): void => {
    const kinds = places === "label" ? SEEN_KINDS.filter((kind) => wanted.includes(kind.toLowerCase())) : [];
    const words = numbersOf(rows, (text) => wanted.some((one) => fits(text, one)));
    groups.push({ kinds: numbers(kinds), words, places });
  };
  if (query.labels.length > 0) add(query.labels.map(lower), "label", isSameWord);
  if (query.zones.length > 0) add(query.zones.map(lower), "zone", isSameWord);
  if (query.plate !== "") add([lower(query.plate)], "text", (text, one) => lower(text).includes(one));
  if (query.name !== "") add([lower(query.name)], "text", (text, one) => lower(text).includes(one));
  if (groups.some(({ kinds, words }) => kinds.size === 0 && words.size === 0)) return undefined;
  const ofKind = [
    ...query.kinds,
    ...(query.plate === "" ? [] : (["plate"] as const)),
    ...(query.name === "" ? [] : (["face"] as const)),
  ];
  return {
    kinds: ofKind.length === 0 ? undefined : numbers(ofKind),
    sources:
      query.sources.length === 0
        ? undefined
        : new Set(query.sources.map((source) => FINDING_SOURCES.indexOf(source))),
    sizeMin: query.sizeMin,
    scoreMin: query.scoreMin,
    region: query.region,
    groups,
  };
}

type Fits = (text: string, wanted: string) => boolean;

function wordsOf(text: string): readonly string[] {
  const words = lower(text).split(/[\s,;]+/u);
  return words.filter((word) => word !== "").slice(0, SEARCH_WORDS_MAX);
}

function numbersOf(rows: FindingRows, fits: (text: string) => boolean): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [number, text] of rows.words.entries()) if (text !== "" && fits(text)) found.add(number);
  return found;
}

function numbers(kinds: readonly SeenKind[]): ReadonlySet<number> {
  return new Set(kinds.map(kindNumber));
}

function isSameWord(text: string, wanted: string): boolean {
  return lower(text) === wanted;
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
