import { type Interval, NvrdError, parseApiTime, US_PER_MS } from "../../base/index.js";
import { type Query, shown } from "../../http/index.js";

/**
 * The parameters `from` and `to`: Unix milliseconds, ISO 8601, or a time as elsewhere. Throws NvrdError BAD_REQUEST or BAD_TIME
 * unless `to` is later, by `longestUs` at most.
 */
export function readSpan(parameters: Query, longestUs: number): Interval {
  const fromUs = readMoment(parameters, "from");
  const toUs = readMoment(parameters, "to");
  if (toUs <= fromUs) throw new NvrdError("BAD_REQUEST", "to must be later than from");
  if (toUs - fromUs > longestUs) {
    const days = Math.floor(longestUs / 86_400_000_000);
    throw new NvrdError("BAD_REQUEST", `from and to are more than ${days} days apart: ask for parts`);
  }
  return { fromUs, toUs };
}

/** A whole number within bounds. Throws NvrdError BAD_REQUEST for anything else. */
export function readWhole(
  parameters: Query,
  name: string,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number },
): number {
  const text = parameters.getFilled(name) ?? String(fallback);
  const value = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new NvrdError("BAD_REQUEST", `${name} is "${shown(text)}": use a whole number from ${min} to ${max}`);
}

function readMoment(parameters: Query, name: string): number {
  const text = parameters.require(name);
  const timeUs = momentOf(text);
  if (timeUs === undefined) throw new NvrdError("BAD_TIME", `parameter "${name}" is "${shown(text)}"`);
  return timeUs;
}

/** Unix milliseconds, ISO 8601, or a time as elsewhere, as Unix microseconds; undefined for anything else. */
export function momentOf(text: string): number | undefined {
  const timeUs = /^\s*\d{1,15}(\.\d{1,9})?\s*$/.test(text)
    ? Math.round(Number(text) * US_PER_MS)
    : parseApiTime(text);
  // Behind the year 2255 microseconds are no longer whole: one such time is as good as another.
  return timeUs === undefined ? undefined : Math.min(timeUs, Number.MAX_SAFE_INTEGER);
}
