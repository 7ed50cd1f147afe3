import type { Language } from "../base/index.js";
import { keyWaitText } from "./key-wait.js";
import type { LiveStream } from "./live-stream.js";
import { LOSS_RULES, lossWords, type ReportedLoss } from "./stream-losses.js";

/** What is wrong, and what to do where it is not said by the text itself. */
type TroubleWords = readonly [text: string, remedy?: string];

/**
 * What of a stream comes and is not recorded: first what is lost, then whether a key frame is waited for. Empty: nothing, or nothing
 * comes. Status, events and the timeline say this.
 */
export function streamTrouble({ state, losses }: LiveStream, language: Language): TroubleWords[] {
  if (state.state !== "active" && state.state !== "waiting") return [];
  const { reported } = losses;
  const lost = reported.find(({ id }) => LOSS_RULES[id].isLoss);
  if (state.state === "active") return wordsOf(lost ?? reported[0], language);
  const cause = lost ?? reported.find(({ id }) => MAY_BE_KEY_FRAMES.has(id));
  return [...wordsOf(cause, language), [keyWaitText(state.keyIntervalUs, language)]];
}

/** What is no loss while pictures come, and may be all key frames while none does. */
const MAY_BE_KEY_FRAMES: ReadonlySet<ReportedLoss["id"]> = new Set(["other-payload-type"]);

function wordsOf(loss: ReportedLoss | undefined, language: Language): TroubleWords[] {
  return loss === undefined ? [] : [lossWords(loss, language)];
}
