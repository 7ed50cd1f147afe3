/** Entry of the thread that reads large documents of revisions. */
import { parentPort } from "node:worker_threads";
import type { RevisionOrder } from "./revision-reader.js";
import { answerOrder } from "./revision-reader.js";

parentPort?.on("message", (order: RevisionOrder) => {
  parentPort?.postMessage(answerOrder(order));
});
