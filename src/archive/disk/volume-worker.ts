/**
 * Entry of a volume's threads of Node: the reader, which also lists, recovers and removes; without the addon the writer and the syncer too.
 */
import { parentPort, workerData } from "node:worker_threads";
import { realDisk } from "./disk.js";
import { loadNativeDisk } from "./native-disk.js";
import type { WorkerStart } from "./volume-messages.js";
import { runReader, runSyncer, runWriter } from "./volume-thread-loop.js";

const start = workerData as WorkerStart;
const native = loadNativeDisk();
const disk = realDisk(native.disk);
if (parentPort !== null) {
  if (start.role === "writer") runWriter(parentPort, disk, start.directory);
  else if (start.role === "syncer") runSyncer(parentPort, disk, start.directory);
  else runReader(parentPort, disk, start.directory);
}
