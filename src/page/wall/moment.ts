import { recorderNow } from "../state/recorder-time.js";
import { boxZone, timeFormat } from "../state/time-format.js";
import { language } from "../words/language.js";

const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** A moment by the recorder's clock: the time, and the day where it is not today. */
export function momentWords(ms: number, nowMs = recorderNow()): string {
  const isToday = boxZone.value.textAt(ms).slice(0, 10) === boxZone.value.textAt(nowMs).slice(0, 10);
  const day = isToday ? {} : ({ day: "numeric", month: "short" } as const);
  return timeFormat(language.value, { ...day, ...CLOCK }).format(ms);
}

/** Name of a still's file, with camera and moment; one that all systems take. */
export function stillName(camera: string, ms: number): string {
  const plain = camera
    .replace(/[\p{Cc}<>:"/\\|?*]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  const time = boxZone.value.textAt(ms).replace("T", " ").replaceAll(":", "-");
  return `${plain.slice(0, 80)} ${time}.${String(Math.floor(ms % 1000)).padStart(3, "0")}.jpg`;
}
