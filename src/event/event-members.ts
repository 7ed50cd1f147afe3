import type { EventRecord } from "./types.js";

/** Members that the reference has for events of things in pictures. */

const PERCENT_TENTHS = 1000;
const TENTHS = 10;
/** Shares of the picture are rounded to a ten-thousandth. */
const BOX_STEPS = 10_000;
const BOX_MEMBERS = ["Left", "Top", "Width", "Height"] as const;

/** Where a thing is, relative to the picture's sides. */
interface EventBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Numbers of events have a decimal comma. */
export function percentText(share: number): string {
  return `${Math.round(share * PERCENT_TENTHS) / TENTHS}`.replace(".", ",");
}

export function boxMembers(box: EventBox | undefined): Record<string, string> {
  if (box === undefined) return {};
  const relative = (value: number): string =>
    `${Math.round(value * BOX_STEPS) / BOX_STEPS}`.replace(".", ",");
  return {
    Left: relative(box.left),
    Top: relative(box.top),
    Width: relative(box.width),
    Height: relative(box.height),
  };
}

/** A member's text; undefined where it has none. */
export function memberText({ fields }: Pick<EventRecord, "fields">, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A member's number. */
export function memberNumber(event: Pick<EventRecord, "fields">, name: string): number | undefined {
  const text = memberText(event, name);
  const value = text === undefined ? Number.NaN : Number(text.replace(",", "."));
  return Number.isFinite(value) ? value : undefined;
}

/** Where the thing of an event is; undefined where nobody said. Whoever reported it may have said anything. */
export function memberBox(event: Pick<EventRecord, "fields">): EventBox | undefined {
  const [left, top, width, height] = BOX_MEMBERS.map((name) => memberNumber(event, name));
  if (left === undefined || top === undefined || !width || !height) return undefined;
  return { left, top, width, height };
}
