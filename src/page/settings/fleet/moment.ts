import { timeFormat } from "../../state/time-format.js";
import { language } from "../../words/language.js";

/** Day and time of a moment of an answer. */
export function momentText(time: string): string {
  return timeFormat(language.value, { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
}
