import { signal } from "@preact/signals";
import { timeWords } from "../time/format.js";
import { chosen, nameOf } from "../watch/model.js";
import { timelineAnswer, timelineRows } from "./data.js";
import { StillOf } from "./still.js";
import { fieldWidth, placeOf, reachMs } from "./view.js";
import { rowWords } from "./words.js";

/** A place on the timeline that a pointer is over, that a finger tapped, or that the playhead is dragged over. */
export interface TipPlace {
  readonly at: number;
  readonly row: number;
}

export const tip = signal<TipPlace | undefined>(undefined);

const WIDTH = 216;

/** What is there: a picture, the time, and in words what was recorded or why not. */
export function Tip() {
  const place = tip.value;
  const answer = timelineAnswer.value;
  if (place === undefined || chosen.value.length === 0) return null;
  const channel = chosen.value[place.row];
  const x = Math.min(
    Math.max(placeOf(place.at), WIDTH / 2),
    Math.max(fieldWidth.value - WIDTH / 2, WIDTH / 2),
  );
  const row = timelineRows.value[place.row];
  return (
    <div class="timeline-tip" style={{ transform: `translateX(${x - WIDTH / 2}px)` }} role="tooltip">
      {channel !== undefined && <StillOf channel={channel} at={place.at} />}
      <p class="timeline-tip-time">
        <b>{timeWords(place.at, "second")}</b> {timeWords(place.at, "shortDay")}
      </p>
      {chosen.value.length > 1 && <p>{nameOf(channel)}</p>}
      <p>{rowWords(answer, row, place.at, reachMs())}</p>
    </div>
  );
}
