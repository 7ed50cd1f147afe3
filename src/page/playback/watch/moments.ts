import { say, sayError } from "../../control/notice.js";
import { playbackWords } from "../../words/playback.js";
import { findMoment } from "../timeline/data.js";
import { chosen, cursor } from "./model.js";
import { playing } from "./playing.js";

let isLooking = false;

/** Goes to the next event or motion of the cameras that are shown, or the one before. */
export async function goToMoment(direction: 1 | -1): Promise<void> {
  if (isLooking || chosen.peek().length === 0) return;
  isLooking = true;
  try {
    const found = await findMoment(chosen.peek(), cursor.peek(), direction);
    if (found !== undefined) playing.seek(found);
    else say(direction === 1 ? playbackWords().noNext : playbackWords().noPrevious);
  } catch (error) {
    sayError(error);
  } finally {
    isLooking = false;
  }
}
