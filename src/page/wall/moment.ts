import { session } from "../state/session.js";
import { language } from "../words/language.js";

/** A moment in the recorder's time zone and the user's language: the time, and the day where it is not today. */
export function momentWords(ms: number, nowMs = Date.now()): string {
  const timeZone = session.value?.TimeZone;
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = (at: number): string =>
    new Intl.DateTimeFormat("sv", { ...zone, dateStyle: "short" }).format(at);
  const isToday = day(ms) === day(nowMs);
  return new Intl.DateTimeFormat(language.value, {
    ...zone,
    ...(isToday ? {} : { day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
  }).format(ms);
}

/** As part of a file's name: `2026-11-23 14-02-05.120`. */
export function fileMoment(ms: number, timeZone: string | undefined): string {
  const parts = new Intl.DateTimeFormat("sv", {
    ...(timeZone === undefined ? {} : { timeZone }),
    dateStyle: "short",
    timeStyle: "medium",
  }).format(ms);
  return `${parts.replaceAll(":", "-")}.${String(Math.floor(ms % 1000)).padStart(3, "0")}`;
}

/** A name that all systems take. */
export function stillName(camera: string, ms: number, timeZone: string | undefined): string {
  const plain = camera
    .replace(/[\p{Cc}<>:"/\\|?*]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return `${plain.slice(0, 80)} ${fileMoment(ms, timeZone)}.jpg`;
}
