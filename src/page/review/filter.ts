import type { LinkTo, Queries } from "../../contract/query/index.js";
import { addDays, type Zone } from "../state/zone.js";
import { type TimeSpan, timeInText } from "./time-words.js";

/** What is looked for, in the words of an owner: each stands for some of the recorder's kinds; empty: all. */
export const KIND_GROUPS = {
  person: "person,face,crowd,loitering",
  vehicle: "vehicle,plate",
  animal: "animal",
  ring: "doorbell",
  line: "lineCrossed,zoneEntered,zoneLeft",
  package: "package,objectLeft,objectTaken",
  sound: "scream,glass,soundAlarm,sound",
  tamper: "tampering,covered,moved,defocused",
  motion: "motion,pir",
} as const;
export type KindGroup = keyof typeof KIND_GROUPS;
export const KIND_GROUP_NAMES = Object.keys(KIND_GROUPS) as readonly KindGroup[];

export const DAYS = ["", "today", "night", "yesterday", "week"] as const;
export type Day = (typeof DAYS)[number];
export const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

export const ORDERS = ["newest", "camera"] as const;
export type Order = (typeof ORDERS)[number];

/** What the list shows; an empty text leaves a member out. */
export interface ReviewFilter {
  /** GUID of a channel. */
  readonly camera: string;
  readonly kind: KindGroup | "";
  readonly zone: string;
  /** A line that was crossed. */
  readonly line: string;
  readonly day: Day;
  /** Of the recorder's clock, with today and yesterday: `0` to `23`. */
  readonly hour: string;
  readonly text: string;
  /** Those that were seen already as well. */
  readonly all: "" | "1";
  readonly order: Order;
}

const TEXT_LENGTH_MAX = 64;

/** The filter that an address names; what it does not know is left out. */
export function filterOf(parameters: URLSearchParams): ReviewFilter {
  const text = (name: string): string => (parameters.get(name) ?? "").slice(0, TEXT_LENGTH_MAX);
  return {
    camera: text("camera"),
    kind: KIND_GROUP_NAMES.find((name) => name === text("kind")) ?? "",
    zone: text("zone"),
    line: text("line"),
    day: DAYS.find((day) => day === text("day")) ?? "",
    hour: HOURS.some((hour) => `${hour}` === text("hour")) ? text("hour") : "",
    text: text("text"),
    all: text("all") === "1" || parameters.has("time") ? "1" : "",
    order: ORDERS.find((order) => order === text("order")) ?? "newest",
  };
}

/** The address's parameters for a filter: only what it restricts. */
export function parametersOf({ order, ...filter }: ReviewFilter): Record<string, string> {
  const given = Object.entries(filter).filter(([, value]) => value !== "");
  return Object.fromEntries(order === "newest" ? given : [...given, ["order", order]]);
}

/** Whether something is left out besides what was seen. */
export function isNarrowed({ camera, kind, zone, line, day, text }: ReviewFilter): boolean {
  return [camera, kind, zone, line, day, text].some((value) => value !== "");
}

const HOUR_MS = 3_600_000;
/** The night by the recorder's clock. */
const NIGHT_FROM_HOUR = 20;
const NIGHT_TO_HOUR = 6;

/** What a filter asks the recorder for. */
export function queryOf(filter: ReviewFilter, zone: Zone, nowMs: number): LinkTo<Queries["/api/findings"]> {
  const { camera, kind, zone: zoneName, line, all } = filter;
  const said = filter.day === "" ? timeInText(filter.text, zone, nowMs) : undefined;
  const { from, to } = said?.span ?? spanOf(filter, zone, nowMs);
  const text = said?.rest ?? filter.text;
  return {
    ...(camera === "" ? {} : { channelids: camera }),
    ...(kind === "" ? {} : { kinds: KIND_GROUPS[kind] }),
    ...(zoneName === "" ? {} : { zones: zoneName }),
    ...(line === "" ? {} : { lines: line }),
    ...(text.trim() === "" ? {} : { text: text.trim() }),
    ...(all === "" ? { unseen: true } : {}),
    ...(from === undefined ? {} : { starttime: new Date(from).toISOString() }),
    ...(to === undefined ? {} : { endtime: new Date(to).toISOString() }),
  };
}

function spanOf({ day, hour }: ReviewFilter, zone: Zone, nowMs: number): TimeSpan {
  const midnight = (days: number): number => zone.startOf(addDays(zone.dayAt(nowMs), days));
  if (day === "") return {};
  if (day === "week") return { from: midnight(-6) };
  if (day === "night") {
    const at = (days: number, hour: number): number =>
      zone.momentOf({ ...addDays(zone.dayAt(nowMs), days), hour, minute: 0, second: 0, millisecond: 0 });
    return { from: at(-1, NIGHT_FROM_HOUR), to: at(0, NIGHT_TO_HOUR) - 1 };
  }
  const first = day === "today" ? 0 : -1;
  const begin = midnight(first);
  if (hour === "") return day === "today" ? { from: begin } : { from: begin, to: midnight(0) - 1 };
  const from = begin + Number(hour) * HOUR_MS;
  return { from, to: from + HOUR_MS - 1 };
}
