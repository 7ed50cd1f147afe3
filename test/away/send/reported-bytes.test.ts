import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FromSender } from "../../../src/away/send/send-messages.js";
import { Sender } from "../../../src/away/send/sender.js";
import { SenderWork } from "../../../src/away/send/sender-work.js";
import { SystemClock } from "../../../src/base/index.js";
import { s3Target } from "../../support/away/away-samples.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const MEBIBYTE = 1024 * 1024;
let store: ScriptedStore;
let posted: FromSender[];
let work: SenderWork;

beforeEach(async () => {
  store = await new ScriptedStore().start();
  posted = [];
  work = new SenderWork({ clock: new SystemClock(), post: (message) => void posted.push(message) });
  await work.take({ kind: "start", target: s3Target({ endpoint: `http://127.0.0.1:${store.port}` }) });
});

afterEach(() => {
  work.close();
  store.stop();
});

const put = async (id: number, bytes: number): Promise<void> =>
  await work.take({ kind: "work", id, work: { op: "put", key: `a/${id}`, content: new Uint8Array(bytes) } });
const bytesReported = (): number =>
  posted.reduce((sum, message) => sum + (message.kind === "upload" ? 0 : message.sentBytes), 0);

it("tells what went out with the answer, not by itself", async () => {
  await put(1, 4 * MEBIBYTE);
  await put(2, MEBIBYTE);
  // Of the first one it is not known yet when something was told last.
  expect(posted.filter(({ kind }) => kind === "done")).toHaveLength(2);
  expect(posted.filter(({ kind }) => kind === "bytes").length).toBeLessThanOrEqual(1);
  expect(bytesReported()).toBe(5 * MEBIBYTE);
});

it("tells what went out of a try that failed", async () => {
  store.fault = () => ({ cutAfter: MEBIBYTE });
  await put(1, 4 * MEBIBYTE);
  const [last] = posted.slice(-1);
  expect(last?.kind).toBe("failed");
  expect(bytesReported()).toBeGreaterThanOrEqual(MEBIBYTE);
});

it("tells it every two seconds while no answer comes", async () => {
  await work.take({ kind: "limit", bytesPerSecond: 2 * MEBIBYTE });
  const file = path.join(await temporaryDirectory(), "segment");
  writeFileSync(file, new Uint8Array(12 * MEBIBYTE));
  const segment = { op: "segment", key: "a/1", paths: [file], bytes: 12 * MEBIBYTE, headBytes: 64 } as const;
  await work.take({ kind: "work", id: 1, work: segment });
  expect(posted.at(-1)?.kind).toBe("done");
  const between = posted.filter(({ kind }) => kind === "bytes").length;
  expect(between).toBeGreaterThanOrEqual(2);
  expect(between).toBeLessThanOrEqual(4);
  expect(bytesReported()).toBe(12 * MEBIBYTE);
});

it("a sender counts what is reported, and nothing where nothing went out", async () => {
  let post: (message: FromSender) => void = () => undefined;
  let id = -1;
  const counted: number[] = [];
  const sender = new Sender({
    target: s3Target({ endpoint: "http://127.0.0.1:9" }),
    start: (take) => {
      post = take;
      return {
        post: (message) => {
          if (message.kind === "work") id = message.id;
        },
        end: () => undefined,
      };
    },
    onBytes: (bytes) => void counted.push(bytes),
  });
  const got = sender.run({ op: "get", key: "a", bytesMax: 10 });
  post({ kind: "bytes", sentBytes: 7 });
  post({ kind: "bytes", sentBytes: 0 });
  post({ kind: "done", id, value: undefined, sentBytes: 0 });
  expect(await got).toBeUndefined();
  expect(counted).toEqual([7]);
});
