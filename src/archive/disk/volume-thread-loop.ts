/**
 * Takes the requests to a volume's reader and answers them; separate from the thread's entry so that tests can pass in a disk.
 */
import type { Disk } from "./disk.js";
import { SegmentReads } from "./segment-reads.js";
import { readErrorCode } from "./segment-summaries.js";
import type { ReaderRequest, ThreadReply, ThreadStarted } from "./volume-messages.js";

/** The thread's end of the channel to the main side. */
export interface ThreadPort {
  on(event: "message", listener: (message: unknown) => void): unknown;
  postMessage(message: unknown): void;
}

export function runReader(port: ThreadPort, disk: Disk, directory: string): void {
  const reads = new SegmentReads(disk, directory);
  port.on("message", (data) => {
    const { id, request } = data as { id: number; request: ReaderRequest };
    reply(port, id, () => reads.handle(request));
  });
  reportStarted(port);
}

/** The thread's first message. */
export function reportStarted(port: ThreadPort): void {
  const started: ThreadStarted = { op: "started" };
  port.postMessage(started);
}

/** Answers the message `id` with what `run` returns or throws. */
export function reply(port: ThreadPort, id: number, run: () => unknown): void {
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
