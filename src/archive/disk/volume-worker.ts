/** Entry of a volume's reader, which also lists, recovers and removes. The writer and the syncer are threads of the addon. */
import { parentPort, workerData } from "node:worker_threads";
import { realDisk } from "./disk.js";
import { loadNativeDisk } from "./native-disk.js";
import type { WorkerStart } from "./volume-messages.js";
import { runReader } from "./volume-thread-loop.js";

const { directory } = workerData as WorkerStart;
if (parentPort !== null) runReader(parentPort, realDisk(loadNativeDisk().disk), directory);
