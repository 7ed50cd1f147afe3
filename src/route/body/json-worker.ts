/** Entry of the thread that parses the large bodies of requests. */
import { parentPort } from "node:worker_threads";
import { NvrdError } from "../../base/index.js";
import type { JsonOrder, JsonReply } from "./json-body.js";
import { parseJsonText } from "./json-text.js";

parentPort?.on("message", ({ bytes }: JsonOrder) => {
  parentPort?.postMessage(reply(bytes));
});

function reply(bytes: Uint8Array): JsonReply {
  try {
    return { value: parseJsonText(bytes) };
  } catch (error) {
    if (!(error instanceof NvrdError)) throw error;
    return { refusal: { message: error.message, hint: error.hint } };
  }
}
