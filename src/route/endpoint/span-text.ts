import { formatIsoTime } from "../../base/index.js";

/** A time of the archive, in words. */
export function spanText(fromUs: number, toUs: number): string {
  return `${formatIsoTime(fromUs)} to ${formatIsoTime(toUs)}`;
}
