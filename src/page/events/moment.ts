import { channels } from "../state/channels.js";
import { locale } from "../state/locale.js";
import { recorderNow } from "../state/recorder-time.js";
import { addressOf } from "../state/route.js";
import { timeFormat } from "../state/time-format.js";
import { type EventItem, timeOf } from "./event-item.js";

/** So long before the event its recording is played from. */
const BEFORE_MS = 5000;

export function clockTime(timeMs: number): string {
  return timeFormat(locale.value, { timeStyle: "medium" }).format(timeMs);
}

export function dateAndTime(timeMs: number): string {
  return timeFormat(locale.value, { dateStyle: "long", timeStyle: "medium" }).format(timeMs);
}

/** `Monday, 23 November`, with the year where it is not this one. */
export function dayWords(timeMs: number): string {
  const year = (at: number): string => timeFormat("en", { year: "numeric" }).format(at);
  const words = timeFormat(locale.value, {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(year(timeMs) === year(recorderNow()) ? {} : { year: "numeric" }),
  }).format(timeMs);
  return words.slice(0, 1).toLocaleUpperCase(locale.value) + words.slice(1);
}

/** The channel of an event whose recordings this user may watch; undefined for any other event. */
export function playableChannel(item: EventItem): string | undefined {
  return channels.value?.find(({ Id, AllowedArchive }) => Id === item.ChannelId && AllowedArchive)?.Id;
}

/** Where the recording of an event is played; undefined where there is nothing to play. */
export function playAddress(item: EventItem): string | undefined {
  const channel = playableChannel(item);
  return channel === undefined
    ? undefined
    : addressOf("playback", { channel, time: `${timeOf(item) - BEFORE_MS}`, play: "1" });
}
