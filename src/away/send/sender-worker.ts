/** Entry of a target's sending thread. */
import { parentPort } from "node:worker_threads";
import { SystemClock } from "../../base/index.js";
import type { ToSender } from "./send-messages.js";
import { SenderWork } from "./sender-work.js";

if (parentPort !== null) {
  const port = parentPort;
  const work = new SenderWork({ clock: new SystemClock(), tell: (message) => port.postMessage(message) });
  port.on("message", (message: ToSender) => void work.take(message));
}
