import { computed } from "@preact/signals";
import { session } from "./session.js";
import { Zone } from "./zone.js";

/** The recorder's zone: what happened at a camera is shown by the clock there, wherever the person sits. */
export const boxZone = computed(() => new Zone(session.value?.TimeZone ?? "UTC"));

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format of a language in the recorder's zone, made once: making one costs more than using it a thousand times. */
export function timeFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const timeZone = boxZone.value.name;
  const key = JSON.stringify([language, timeZone, options]);
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(language, { ...options, timeZone });
  formats.set(key, made);
  return made;
}
