/** The thread that has the system load the codec's libraries: some forty files, which would hold up the main thread. */
import { parentPort } from "node:worker_threads";
import { loadCodecAddon } from "./codec-addon.js";

parentPort?.postMessage(loadCodecAddon().missing);
// The libraries stay until the main thread has them too, and ends this one.
parentPort?.on("message", () => undefined);
