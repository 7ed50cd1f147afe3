import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import type { ToSender } from "../../../src/away/send/send-messages.js";
import {
  SendError,
  Sender,
  type SenderOptions,
  type StartSendingThread,
} from "../../../src/away/send/sender.js";
import { s3Target } from "../../support/away/away-samples.js";

const TARGET = s3Target({ endpoint: "http://127.0.0.1:9" });

interface ThreadOfTest {
  readonly posted: ToSender[];
  readonly post: Parameters<StartSendingThread>[0];
  readonly die: Parameters<StartSendingThread>[1];
  isEnded: boolean;
}

/** A sender whose threads do what the test says. */
function started(options: Partial<SenderOptions> = {}) {
  const threads: ThreadOfTest[] = [];
  const bytes: number[] = [];
  const sender = new Sender({
    target: TARGET,
    start: (post, die) => {
      const thread: ThreadOfTest = { posted: [], post, die, isEnded: false };
      threads.push(thread);
      return {
        post: (message) => thread.posted.push(message),
        end: () => {
          thread.isEnded = true;
        },
      };
    },
    onBytes: (sent) => bytes.push(sent),
    ...options,
  });
  /** Ids of the work given to a thread. */
  const ids = (thread = 0): number[] =>
    (threads[thread]?.posted ?? []).flatMap((message) => (message.kind === "work" ? [message.id] : []));
  return { sender, threads, bytes, ids };
}

const REFUSED = {
  kind: "failed",
  sentBytes: 0,
  fault: "gone",
  message: "",
  isLasting: true,
  retryAfterMs: 0,
} as const;
const GET = { op: "get", key: "manifests/a", bytesMax: 1000 } as const;

it("tells its thread when what it fetches is given up", async () => {
  const { sender, threads, ids } = started();
  const end = new AbortController();
  const got = sender.run(GET, undefined, end.signal);
  const [id = -1] = ids();
  end.abort();
  expect(threads[0]?.posted).toContainEqual({ kind: "cancel", id });
  threads[0]?.post({ kind: "done", id, sentBytes: 0, value: undefined });
  expect(await got).toBeUndefined();
});

it.each(["done", "failed", "stopped"])("leaves nothing at the signal of work that is %s", async (how) => {
  const { sender, threads, ids } = started();
  const end = new AbortController();
  const outcome = sender.run(GET, undefined, end.signal).catch(() => undefined);
  const [id = -1] = ids();
  if (how === "done") threads[0]?.post({ kind: "done", id, sentBytes: 0, value: undefined });
  if (how === "failed") threads[0]?.post({ ...REFUSED, id });
  if (how === "stopped") sender.stop();
  await outcome;
  expect(getEventListeners(end.signal, "abort")).toEqual([]);
});

it("gives all its work to one thread, which is notified of target and limit first", async () => {
  const { sender, threads, ids } = started({ socketsMax: 2 });
  sender.limit(64_000);
  const all = [sender.run(GET), sender.run(GET), sender.run(GET)];
  expect(threads).toHaveLength(1);
  expect(threads[0]?.posted.slice(0, 2)).toEqual([
    { kind: "start", target: TARGET, socketsMax: 2 },
    { kind: "limit", bytesPerSecond: 64_000 },
  ]);
  expect(new Set(ids()).size).toBe(3);
  // The answers come in another order than the questions.
  for (const id of ids().reverse())
    threads[0]?.post({ kind: "done", id, sentBytes: 0, value: Buffer.from([id]) });
  expect(await Promise.all(all)).toEqual(ids().map((id) => Buffer.from([id])));
  expect(threads).toHaveLength(1);
});

it("tells its thread of another limit once", () => {
  const { sender, threads } = started();
  sender.run(GET).catch(() => undefined);
  for (const limit of [1000, 1000, 2000]) sender.limit(limit);
  const limits = threads[0]?.posted.flatMap((message) =>
    message.kind === "limit" ? [message.bytesPerSecond] : [],
  );
  expect(limits).toEqual([undefined, 1000, 2000]);
  sender.stop();
});

it("fails what was under way when its thread ends, and begins another with the next work", async () => {
  const { sender, threads, ids } = started();
  const lost = sender.run(GET);
  threads[0]?.die("it ended");
  await expect(lost).rejects.toMatchObject({ fault: "thread", isLasting: false });
  const next = sender.run(GET);
  expect(threads).toHaveLength(2);
  // What is said late of the former thread does not concern this one.
  threads[0]?.die("it ended");
  const another = sender.run(GET);
  expect(threads).toHaveLength(2);
  for (const id of ids(1)) threads[1]?.post({ kind: "done", id, sentBytes: 0, value: undefined });
  expect(await Promise.all([next, another])).toEqual([undefined, undefined]);
});

it("passes on why work failed", async () => {
  const { sender, threads, ids } = started();
  const outcome = sender.run(GET).catch((error: unknown) => error);
  threads[0]?.post({ ...REFUSED, message: "404 NoSuchKey", retryAfterMs: 5000, id: ids()[0] ?? -1 });
  const error = await outcome;
  expect(error).toBeInstanceOf(SendError);
  expect(error).toMatchObject({
    message: "404 NoSuchKey",
    fault: "gone",
    isLasting: true,
    retryAfterMs: 5000,
  });
});

it("counts the bytes of work that is done, of work that failed and of work under way, each once", async () => {
  const { sender, threads, bytes, ids } = started();
  const all = Promise.allSettled([sender.run(GET), sender.run(GET)]);
  const [done = -1, failed = -1] = ids();
  threads[0]?.post({ kind: "bytes", sentBytes: 7 });
  threads[0]?.post({ kind: "done", id: done, sentBytes: 11, value: undefined });
  threads[0]?.post({ ...REFUSED, sentBytes: 13, id: failed });
  await all;
  expect(bytes).toEqual([7, 11, 13]);
});

it("tells how far an upload is to who waits for it, and to nobody else", () => {
  const { sender, threads, ids } = started();
  const seen: unknown[] = [];
  const ignored: unknown[] = [];
  sender.run(GET, (upload) => seen.push(upload)).catch(() => undefined);
  sender.run(GET, (upload) => ignored.push(upload)).catch(() => undefined);
  const upload = { uploadId: "a", partBytes: 5, parts: [] };
  threads[0]?.post({ kind: "upload", id: ids()[0] ?? -1, upload });
  expect([seen, ignored]).toEqual([[upload], []]);
  sender.stop();
});

it("ends its thread when it is stopped, fails what was under way, and takes nothing more", async () => {
  const { sender, threads } = started();
  const cut = sender.run(GET);
  sender.stop();
  expect(threads.map(({ isEnded }) => isEnded)).toEqual([true]);
  await expect(cut).rejects.toMatchObject({ message: "the sending thread: it was stopped", fault: "thread" });
  await expect(sender.run(GET)).rejects.toMatchObject({ fault: "thread" });
  expect(threads).toHaveLength(1);
});
