import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import type { ToSender } from "../../../src/away/send/send-messages.js";
import { Sender, type StartSendingThread } from "../../../src/away/send/sender.js";
import { s3Target } from "../../support/away/away-samples.js";

/** A sender whose thread does what the test says. */
function started() {
  const posted: ToSender[] = [];
  let tell: Parameters<StartSendingThread>[0] = () => undefined;
  const sender = new Sender({
    target: s3Target({ endpoint: "http://127.0.0.1:9" }),
    start: (onMessage) => {
      tell = onMessage;
      return { post: (message) => posted.push(message), end: () => undefined };
    },
    onBytes: () => undefined,
  });
  const answer = (message: Parameters<typeof tell>[0]): void => tell(message);
  return { sender, posted, answer };
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
  const { sender, posted, answer } = started();
  const end = new AbortController();
  const got = sender.run(GET, undefined, end.signal);
  const id = posted.find((message) => message.kind === "work")?.id ?? -1;
  end.abort();
  expect(posted).toContainEqual({ kind: "cancel", id });
  answer({ kind: "done", id, sentBytes: 0, value: undefined });
  expect(await got).toBeUndefined();
});

it.each(["done", "failed", "stopped"])("leaves nothing at the signal of work that is %s", async (how) => {
  const { sender, posted, answer } = started();
  const end = new AbortController();
  const outcome = sender.run(GET, undefined, end.signal).catch(() => undefined);
  const id = posted.find((message) => message.kind === "work")?.id ?? -1;
  if (how === "done") answer({ kind: "done", id, sentBytes: 0, value: undefined });
  if (how === "failed") answer({ ...REFUSED, id });
  if (how === "stopped") sender.stop();
  await outcome;
  expect(getEventListeners(end.signal, "abort")).toEqual([]);
});
