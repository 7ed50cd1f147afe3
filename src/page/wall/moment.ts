import { session } from "../state/session.js";
import { knownZone, timeFormat, wallTime } from "../state/zone.js";
import { language } from "../words/language.js";

const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

function zone(): string {
  return knownZone(session.value?.TimeZone ?? "UTC");
}

/** A moment by the recorder's clock: the time, and the day where it is not today. */
export function momentWords(ms: number, nowMs = Date.now()): string {
  const isToday = wallTime(zone(), ms).slice(0, 10) === wallTime(zone(), nowMs).slice(0, 10);
  const day = isToday ? {} : ({ day: "numeric", month: "short" } as const);
  return timeFormat(language.value, zone(), { ...day, ...CLOCK }).format(ms);
}

/** Name of a still's file, with camera and moment; one that all systems take. */
export function stillName(camera: string, ms: number): string {
  const plain = camera
    .replace(/[\p{Cc}<>:"/\\|?*]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  const time = wallTime(zone(), ms).replace("T", " ").replaceAll(":", "-");
  return `${plain.slice(0, 80)} ${time}.${String(Math.floor(ms % 1000)).padStart(3, "0")}.jpg`;
}
