import type { ArchiveReach } from "../../contract/answer/index.js";
import { figureWords } from "../words/figures.js";
import { daysText } from "./figures.js";
import { requestJson } from "./request.js";

/** How far back the recordings reach, and how long they last: the one answer that all screens use. */
export function readReach(): Promise<ArchiveReach> {
  return requestJson<ArchiveReach>("/api/archive");
}

/** How long recordings last, in the one sentence that all screens say. */
export function lastingSentence({ DaysHeld, BytesPerDay }: ArchiveReach): string {
  const words = figureWords().lasting;
  if (BytesPerDay === null) return words.measuring;
  return DaysHeld === null ? words.byAge : words.held(daysText(DaysHeld));
}
