/** Entry of the thread of a box's link to its hub. */
import { parentPort } from "node:worker_threads";
import { SystemClock } from "../../base/index.js";
import type { FromLink, ToLink } from "./link-messages.js";
import { LinkWork } from "./link-work.js";

if (parentPort !== null) {
  const port = parentPort;
  const post = (message: FromLink): void => port.postMessage(message);
  const work = new LinkWork({ clock: new SystemClock(), post });
  port.on("message", (message: ToLink) => work.take(message));
}
