/** Entry of the thread that keeps replicas. */
import { parentPort } from "node:worker_threads";
import { SystemClock } from "../../base/index.js";
import type { ToReplicas } from "./replica-messages.js";
import { ReplicaWork } from "./replica-work.js";

if (parentPort !== null) {
  const port = parentPort;
  const work = new ReplicaWork({ clock: new SystemClock(), post: (message) => port.postMessage(message) });
  port.on("message", (message: ToReplicas) => work.take(message));
}
