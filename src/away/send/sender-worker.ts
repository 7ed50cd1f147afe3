/** Entry of a target's sending thread. */
import { parentPort } from "node:worker_threads";
import { SystemClock } from "../../base/index.js";
import type { FromSender, ToSender } from "./send-messages.js";
import { SenderWork } from "./sender-work.js";

if (parentPort !== null) {
  const port = parentPort;
  const post = (message: FromSender): void => port.postMessage(message, movedWith(message));
  const work = new SenderWork({ clock: new SystemClock(), post });
  port.on("message", (message: ToSender) => void work.take(message));
}

/** Memory of a content that is handed over instead of copied: one that is all of its memory. */
function movedWith(message: FromSender): ArrayBuffer[] {
  if (message.kind !== "done" || !(message.value instanceof Uint8Array)) return [];
  const { buffer, byteLength } = message.value;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
