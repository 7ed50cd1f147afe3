import type { Zone } from "../../state/zone.js";

const MINUTE_MS = 60_000;

/** A moment to the second, as `parseMoment` reads it again; with the offset where the zone's clock shows that time twice. */
export function writtenMoment(zone: Zone, moment: number): string {
  const reading = zone.readingAt(moment);
  const { year, month, day, hour, minute, second } = reading;
  const date = [String(year).padStart(4, "0"), ...[month, day].map(two)].join("-");
  const time = [hour, minute, second].map(two).join(":");
  const offset = zone.momentsOf(reading).length > 1 ? ` ${offsetText(zone.offsetAt(moment))}` : "";
  return `${date} ${time}${offset}`;
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
