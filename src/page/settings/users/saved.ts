import { say } from "../../control/notice.js";
import { usersWords } from "../../words/settings/users.js";
import { isOutdated } from "../outdated.js";
import { readEverybody } from "./model.js";

/** Runs a change, and reads everybody anew whether it succeeds or not. */
export async function saved(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!isOutdated(error)) throw error;
    say(usersWords().changedMeanwhile, true);
  } finally {
    await readEverybody();
  }
}
