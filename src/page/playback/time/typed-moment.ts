import { recorderNow } from "../../state/recorder-time.js";
import { boxZone } from "../../state/time-format.js";
import { isMonthFirst } from "./format.js";
import { type ParsedMoment, parseMoment } from "./parse-moment.js";

/** The moment that a person has typed, by the recorder's clock and in the forms of the browser's language; `shown`: as `parseMoment`. */
export function typedMoment(text: string, shown: number): ParsedMoment | undefined {
  const context = { zone: boxZone.value, now: recorderNow(), shown };
  return parseMoment(text, { ...context, isMonthFirst: isMonthFirst(navigator.language) });
}
