/**
 * Takes the messages of a volume's main side and answers them; separate from the threads' entry so that tests can pass in a disk.
 */
import type { Disk } from "./disk.js";
import { SegmentFiles } from "./segment-files.js";
import { SegmentReads } from "./segment-reads.js";
import { readErrorCode } from "./segment-summaries.js";
import { SegmentSyncs } from "./segment-syncs.js";
import type {
  ReaderRequest,
  SyncerAnswer,
  SyncerMessage,
  ThreadReply,
  ThreadStarted,
  WriterAnswer,
  WriterMessage,
} from "./volume-messages.js";
import { MountGuard } from "./volume-mount.js";

/** The thread's end of the channel to the main side. */
export interface ThreadPort {
  on(event: "message", listener: (message: unknown) => void): unknown;
  postMessage(message: unknown): void;
}

export function runWriter(port: ThreadPort, disk: Disk, directory: string): void {
  const guard = new MountGuard(disk, directory);
  const answer = (message: WriterAnswer) => port.postMessage(message);
  const files = new SegmentFiles({ disk, directory, guard, answer });
  port.on("message", (data) => files.handle(data as WriterMessage));
  tellStarted(port);
}

export function runSyncer(
  port: ThreadPort,
  disk: Disk,
  directory: string,
  nowMs: () => number = () => performance.now(),
): void {
  const guard = new MountGuard(disk, directory);
  const syncs = new SegmentSyncs({
    disk,
    directory,
    guard,
    answer: (answer: SyncerAnswer) => port.postMessage(answer),
    nowMs,
  });
  port.on("message", (data) => {
    const message = data as SyncerMessage;
    if (message.op === "rename") return reply(port, message.id, () => syncs.rename(message.files));
    return syncs.handle(message);
  });
  tellStarted(port);
}

export function runReader(port: ThreadPort, disk: Disk, directory: string): void {
  const reads = new SegmentReads(disk, directory);
  port.on("message", (data) => {
    const { id, request } = data as { id: number; request: ReaderRequest };
    reply(port, id, () => reads.handle(request));
  });
  tellStarted(port);
}

function tellStarted(port: ThreadPort): void {
  const started: ThreadStarted = { op: "started" };
  port.postMessage(started);
}

function reply(port: ThreadPort, id: number, run: () => unknown): void {
  let answer: ThreadReply;
  try {
    answer = { op: "reply", id, value: run() };
  } catch (error) {
    answer = { op: "reply", id, error: { code: readErrorCode(error), message: messageOf(error) } };
  }
  port.postMessage(answer);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
