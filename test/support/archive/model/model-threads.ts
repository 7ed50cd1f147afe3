import type { Disk } from "../../../../src/archive/disk/disk.js";
import type {
  SyncerAnswer,
  SyncerMessage,
  WorkerStart,
  WriterAnswer,
  WriterMessage,
} from "../../../../src/archive/disk/volume-messages.js";
import { MountGuard } from "../../../../src/archive/disk/volume-mount.js";
import {
  reply,
  reportStarted,
  runReader,
  type ThreadPort,
} from "../../../../src/archive/disk/volume-thread-loop.js";
import { SegmentFiles } from "./segment-files.js";
import { SegmentSyncs } from "./segment-syncs.js";

/** Runs a volume's thread on a disk of the test's making: the reader is the real one, the writer and the syncer are models. */
export function runVolumeThread(
  { role, directory }: WorkerStart,
  port: ThreadPort,
  disk: Disk,
  nowMs: () => number = () => performance.now(),
): void {
  if (role === "writer") runWriter(port, disk, directory);
  else if (role === "syncer") runSyncer(port, disk, directory, nowMs);
  else runReader(port, disk, directory);
}

function runWriter(port: ThreadPort, disk: Disk, directory: string): void {
  const guard = new MountGuard(disk, directory);
  const answer = (message: WriterAnswer) => port.postMessage(message);
  const files = new SegmentFiles({ disk, directory, guard, answer });
  port.on("message", (data) => files.handle(data as WriterMessage));
  reportStarted(port);
}

function runSyncer(port: ThreadPort, disk: Disk, directory: string, nowMs: () => number): void {
  const guard = new MountGuard(disk, directory);
  const answer = (message: SyncerAnswer) => port.postMessage(message);
  const syncs = new SegmentSyncs({ disk, directory, guard, answer, nowMs });
  port.on("message", (data) => {
    const message = data as SyncerMessage;
    if (message.op === "rename") return reply(port, message.id, () => syncs.rename(message.files));
    return syncs.handle(message);
  });
  reportStarted(port);
}
