import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { S3Client, sendingHere } from "../../../src/away/index.js";
import { sendsAt } from "../../../src/away/plan/send-limits.js";
import { bytesBody } from "../../../src/away/s3/object-body.js";
import { Sender } from "../../../src/away/send/sender.js";
import { Pace } from "../../../src/base/index.js";
import { s3Target } from "../../support/away/away-samples.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { SlowLink } from "../../support/away/slow-link.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { QuickClock } from "../../support/base/quick-clock.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const KBIT = 1000;
const BYTES_PER_KBIT = 125;
/** So many times as fast as it is: 30 s of silence are 500 ms. */
const TIMES = 60;
const SEGMENTS = 3;
/** A minute of 100 kbit/s. */
const SEGMENT_BYTES = 750_000;

let store: ScriptedStore;
let directory: TemporaryDirectory;

beforeEach(async () => {
  store = await new ScriptedStore().start();
  directory = new TemporaryDirectory("nvrd-slow-links");
});

afterEach(() => {
  store.stop();
  directory.remove();
});

const target = () => s3Target({ endpoint: `http://127.0.0.1:${store.port}` });

describe.each([64, 100, 300, 400, 1000])("over a link of %d kbit/s", (kbps) => {
  it.each([1, SEGMENTS])(
    "segments arrive whole, each sent once, %d at a time",
    {
      timeout: 2 * PATIENCE_MS,
    },
    async (atOnce) => {
      const clock = new QuickClock(TIMES);
      let sentBytes = 0;
      const sender = new Sender({
        ...{ target: target(), start: sendingHere(clock) },
        onBytes: (bytes) => {
          sentBytes += bytes;
        },
      });
      sender.limit(kbps * BYTES_PER_KBIT);
      mkdirSync(directory.path, { recursive: true });
      const contents = Array.from({ length: SEGMENTS }, (_one, at) => {
        const content = randomBytes(SEGMENT_BYTES);
        writeFileSync(path.join(directory.path, `${at}.seg`), content);
        return content;
      });
      const { partBytes = 0 } = sendsAt(kbps * BYTES_PER_KBIT, SEGMENTS);
      const send = async (at: number): Promise<void> => {
        const paths = [path.join(directory.path, `${at}.seg`)];
        const file = { paths, bytes: SEGMENT_BYTES, headBytes: 16, partBytes };
        await sender.run({ op: "segment", key: `${at}`, ...file });
      };
      for (let at = 0; at < SEGMENTS; at += atOnce)
        await Promise.all(Array.from({ length: atOnce }, (_one, more) => send(at + more)));
      sender.stop();
      for (const [at, content] of contents.entries())
        expect(store.objects.get(`box/${at}`)?.equals(content)).toBe(true);
      expect(sentBytes).toBe(SEGMENTS * SEGMENT_BYTES);
    },
  );
});

it("who waits longest for the bandwidth goes first", async () => {
  const clock = new SimulatedClock();
  const pace = new Pace(clock);
  pace.limit(1000);
  const order: number[] = [];
  for (const one of [1, 2, 3]) void pace.wait(1000).then(() => order.push(one));
  void pace.wait(1).then(() => order.push(4));
  await clock.advanceSlowly(4_000_000, 100_000);
  expect(order).toEqual([1, 2, 3, 4]);
});

it("a wait for the bandwidth is no silence, and no part of the longest request", async () => {
  const clock = new QuickClock(1000);
  const client = new S3Client({ target: target(), clock, silenceMsMax: 30_000 });
  const until = clock.monotonicUs() + 2 * 3600 * 1e6;
  const pace = async (): Promise<void> => {
    const leftMs = Math.max(0, until - clock.monotonicUs()) / 1000;
    await new Promise<void>((resolve) => clock.setTimeout(resolve, leftMs));
  };
  await client.put("a", bytesBody(randomBytes(1000)), { pace });
  client.close();
  expect(store.objects.get("box/a")).toHaveLength(1000);
});

it("what the kernel still holds for a slow link is no silence", { timeout: 2 * PATIENCE_MS }, async () => {
  const link = await SlowLink.to(store.port, TIMES * 64 * KBIT);
  const target = s3Target({ endpoint: `http://127.0.0.1:${link.port}` });
  const client = new S3Client({ target, clock: new QuickClock(TIMES), silenceMsMax: 30_000 });
  const content = randomBytes(SEGMENT_BYTES);
  await Promise.all(["a", "b", "c"].map((key) => client.put(key, bytesBody(content))));
  client.close();
  await link.stop();
  expect(store.objects.get("box/c")?.equals(content)).toBe(true);
});

it("a server that takes nothing more is given up", async () => {
  store.fault = () => "silence";
  const client = new S3Client({ target: target(), clock: new QuickClock(TIMES), silenceMsMax: 30_000 });
  await expect(client.put("a", bytesBody(randomBytes(1000)))).rejects.toThrow(/has been silent for 30 s/);
  client.close();
});

it.each([
  [64, { atOnce: 1, partBytes: 5 * 1024 * 1024 }],
  [300, { atOnce: 1, partBytes: 11_250_000 }],
  [1000, { atOnce: 1, partBytes: 16 * 1024 * 1024 }],
  [2000, { atOnce: 3, partBytes: undefined }],
])("at %d kbit/s parts are of a size that arrives", (kbps, sends) => {
  expect(sendsAt(kbps * BYTES_PER_KBIT, 3)).toEqual(sends);
});
