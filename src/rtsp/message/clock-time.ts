import { formatIsoTime } from "../../base/index.js";

/** `20261121T090000.000000Z` (RFC 2326, 3.7). */
export function formatClockTime(us: number): string {
  return formatIsoTime(us).replace(/[-:]/g, "").replace("0Z", "Z");
}
