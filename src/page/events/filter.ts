import { EVENT_SEARCH_LENGTH_MAX } from "../../contract/index.js";
import { addDays, type Zone } from "../state/zone.js";

/** Stands for what belongs to no camera: the recorder's own events. */
export const EMPTY_GUID = "00000000-0000-0000-0000-000000000000";

export const KINDS = ["", "alarm", "error", "info"] as const;
export type Kind = (typeof KINDS)[number];
export const CATEGORY_OF_KIND = { info: 0, alarm: 1, error: 2 } as const;

/** What happened, and what users did: two lists. */
export const LISTS = ["", "users"] as const;
export type List = (typeof LISTS)[number];
/** As `eventInitiatorTypes` has them. */
const BY_USERS = [1];
const BY_OTHERS = [0, 2, 3, 4, 8];

/** Who caused what the list shows; undefined: whoever did. A type belongs to one list anyway, or is asked for in both. */
export function initiatorsOf({ list, type }: EventFilter): readonly number[] | undefined {
  if (type !== "") return undefined;
  return list === "users" ? BY_USERS : BY_OTHERS;
}

export const PERIODS = ["", "hour", "today", "yesterday", "week", "own"] as const;
export type Period = (typeof PERIODS)[number];

/** What the list shows; an empty text leaves a member out. */
export interface EventFilter {
  readonly list: List;
  readonly text: string;
  /** GUID of a channel; EMPTY_GUID: the recorder itself. */
  readonly camera: string;
  readonly kind: Kind;
  /** GUID of a type. */
  readonly type: string;
  readonly period: Period;
  /** With the period `own`: what the box's clock shows, `2026-11-23T15:00`. */
  readonly from: string;
  readonly to: string;
}

export const NO_FILTER: EventFilter = {
  list: "",
  text: "",
  camera: "",
  kind: "",
  type: "",
  period: "",
  from: "",
  to: "",
};

const GUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The filter that an address names; what it does not know is left out. */
export function filterOf(parameters: URLSearchParams): EventFilter {
  const text = (name: string): string => (parameters.get(name) ?? "").slice(0, EVENT_SEARCH_LENGTH_MAX);
  const guid = (name: string): string => (GUID.test(text(name)) ? text(name) : "");
  return {
    list: LISTS.find((list) => list === text("list")) ?? "",
    text: text("text"),
    camera: guid("camera"),
    kind: KINDS.find((kind) => kind === text("kind")) ?? "",
    type: guid("type"),
    period: PERIODS.find((period) => period === text("period")) ?? "",
    from: text("from"),
    to: text("to"),
  };
}

/** The address's parameters for a filter: only what it restricts. */
export function parametersOf(filter: EventFilter): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
}

/** How many of the filter's fields restrict the list. */
export function activeFields({ from, to, ...filter }: EventFilter): number {
  return Object.values(filter).filter((value) => value !== "").length;
}

/** Unix milliseconds; an absent end is open. */
export interface TimeRange {
  readonly fromMs?: number;
  readonly toMs?: number;
}

const HOUR_MS = 3_600_000;

/** The interval that a filter means now. */
export function rangeOf(filter: EventFilter, zone: Zone, nowMs: number): TimeRange {
  const midnight = (days: number): number => zone.startOf(addDays(zone.dayAt(nowMs), days));
  switch (filter.period) {
    case "hour":
      return { fromMs: nowMs - HOUR_MS };
    case "today":
      return { fromMs: midnight(0) };
    case "yesterday":
      return { fromMs: midnight(-1), toMs: midnight(0) - 1 };
    case "week":
      return { fromMs: midnight(-6) };
    case "own":
      return ownRange(filter, zone);
    default:
      return {};
  }
}

/** An end is the whole minute that the field names. */
function ownRange({ from, to }: EventFilter, zone: Zone): TimeRange {
  const [fromMs, toMinute] = [zone.momentOfText(from), zone.momentOfText(to)];
  return {
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMinute === undefined ? {} : { toMs: toMinute + 59_999 }),
  };
}
