import { say } from "../../control/notice.js";
import { isBucket } from "../../state/session.js";
import { fileWords } from "../../words/files.js";
import { playbackWords } from "../../words/playback.js";
import { nameOf } from "../watch/model.js";
import { editsOf, type FileChoice } from "./edits.js";
import { addFiles } from "./file-jobs.js";
import { type FilePlan, planFiles } from "./file-request.js";
import { orderFile, savedFiles } from "./saved-files.js";
import type { SpanProps } from "./span-props.js";

/** Makes a file of each camera, or has it made on the recorder. Rejects with RequestError. */
export async function makeFiles({ channels, span }: SpanProps, choice: FileChoice): Promise<void> {
  const abort = new AbortController();
  const made: FilePlan[] = [];
  const edits = editsOf({ edits: choice.edits, channels, span });
  const [first, ...others] = channels;
  if (choice.isEverywhere && edits.isTogether && first !== undefined) {
    await orderFile({ channel: first, span, sound: false }, { pictures: "H264", edits, others });
    return;
  }
  for (const channel of channels) {
    const order = { channel, span, sound: choice.sound };
    const plans = await planFiles(order, abort.signal);
    if (plans.length === 0) say(`${nameOf(channel)}: ${playbackWords().fileNone}`, true);
    else if (choice.isEverywhere) await orderFile(order, { pictures: "H264", edits });
    else if (choice.soundForPhones && isForPhones(plans)) await orderFile(order, { pictures: "AsRecorded" });
    else {
      if (plans.length > 1) say(`${nameOf(channel)}: ${playbackWords().fileParts(plans.length)}`);
      made.push(...plans);
    }
  }
  addFiles(made);
}

/** Whether phones play no sound of a file, and the recorder can make and keep one of which they do. */
function isForPhones([plan, ...others]: readonly FilePlan[]): boolean {
  if (isBucket() || plan === undefined || others.length > 0 || !plan.codecs.includes("G.711")) return false;
  const { Lack, RoomBytes } = savedFiles.peek() ?? { Lack: "Codec", RoomBytes: 0 };
  if (Lack === "Codec") return false;
  if (plan.bytes <= RoomBytes) return true;
  say(`${nameOf(plan.order.channel)}: ${fileWords().tooLarge}`);
  return false;
}
