/** Entry of the thread that reads the large documents of devices. */
import { parentPort } from "node:worker_threads";
import { readDocument } from "./xml-document.js";
import type { XmlOrder, XmlReply } from "./xml-thread.js";
import { XmlError } from "./xml-tokens.js";

parentPort?.on("message", ({ bytes, charset }: XmlOrder) => {
  try {
    const tokens = readDocument(bytes, charset);
    const reply: XmlReply = { tokens };
    parentPort?.postMessage(reply, [
      tokens.elements.buffer as ArrayBuffer,
      tokens.attributes.buffer as ArrayBuffer,
    ]);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const reply: XmlReply = { refusal: error.message };
    parentPort?.postMessage(reply);
  }
});
