import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FoundDays } from "../../src/away/found-days.js";
import { restoreBucket } from "../../src/away/index.js";
import { dayOf } from "../../src/away/plan/sent-segment.js";
import type { SendWork } from "../../src/away/send/send-messages.js";
import { SystemClock } from "../../src/base/index.js";
import { MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { RECIPIENT } from "../support/away/age-keys.js";
import { AwayBox } from "../support/away/away-box.js";
import { s3Target } from "../support/away/away-samples.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

const CHANNEL = "22222222-0000-4000-8000-000000000001";
const DAY = "2026-03-01";
const KEY = `findings/${CHANNEL}/${DAY}.findings`;
const HOUR_US = 3_600_000_000;

describe("findings of a day in the bucket", () => {
  let clock: SimulatedClock;
  let objects: Map<string, Uint8Array>;
  let asked: SendWork["op"][];
  let lines: Uint8Array | undefined;
  let days: FoundDays;

  beforeEach(() => {
    clock = new SimulatedClock(Date.UTC(2026, 2, 1, 12) * 1000);
    objects = new Map();
    asked = [];
    lines = Buffer.from("one\n");
    start();
  });

  function start(): void {
    days = new FoundDays({
      clock,
      findingsOf: async () => lines,
      sender: { run: (work) => run(work) as never },
    });
  }

  async function run(work: SendWork): Promise<unknown> {
    asked.push(work.op);
    if (work.op === "put") objects.set(work.key, work.content);
    if (work.op === "erase") objects.delete(work.key);
    if (work.op !== "list") return undefined;
    return [...objects].map(([key, content]) => ({ key, bytes: content.byteLength }));
  }

  const there = (): string => Buffer.from(objects.get(KEY) ?? "none").toString();
  const send = (isIdle = false) => days.send(CHANNEL, DAY, isIdle);

  it("are sent whole, and again when there are more and an hour has passed", async () => {
    await send();
    expect(there()).toBe("one\n");
    lines = Buffer.from("one\ntwo\n");
    await send();
    expect(there()).toBe("one\n");
    clock.advance(HOUR_US);
    await send();
    expect(there()).toBe("one\ntwo\n");
  });

  it("are sent sooner while nothing else is to be sent", async () => {
    await send();
    lines = Buffer.from("one\ntwo\n");
    clock.advance(HOUR_US / 10);
    await send(true);
    expect(there()).toBe("one\ntwo\n");
  });

  it("are not sent twice by another run, nor replaced by fewer after a disk was lost", async () => {
    await send();
    start();
    asked = [];
    await send();
    expect(asked).toEqual(["list"]);
    start();
    lines = Buffer.from("1\n");
    await send();
    expect(there()).toBe("one\n");
  });

  it("are not looked for again once the day is over", async () => {
    clock.advance(14 * HOUR_US);
    await send();
    asked = [];
    clock.advance(100 * HOUR_US);
    await send(true);
    expect(asked).toEqual([]);
  });

  it("leave with the last recording of the day", async () => {
    await send();
    await days.remove(CHANNEL, DAY);
    expect(there()).toBe("none");
  });
});

describe("a recorder's findings", () => {
  let box: AwayBox;
  afterEach(() => box.stop());

  const LINES = Buffer.from("a line of a finding\n");

  async function sent(recipients: readonly string[]): Promise<string> {
    box = await AwayBox.start();
    box.record({ fromUs: START_US });
    box.record({ fromUs: START_US + MINUTE_US });
    box.findings.set(`${box.channelId}/${dayOf(START_US)}`, LINES);
    box.run({ recipients });
    await expect.poll(() => box.named().size).toBe(box.recorded.size);
    return `findings/${box.channelId}/${dayOf(START_US)}.findings`;
  }

  it("lie in the bucket beside the recordings, and come back to the volume of these", async () => {
    const file = await sent([]);
    await expect.poll(() => box.store.objects.has(`box/${file}`)).toBe(true);
    const target = s3Target({ endpoint: `http://127.0.0.1:${box.store.port}` });
    const directory = await temporaryDirectory();
    const { volumes } = await restoreBucket({ target, directory, clock: new SystemClock() });
    expect(readFileSync(path.join(volumes[0] ?? "", file))).toEqual(LINES);
  });

  it("do not leave a recorder that encrypts: they say what is seen", async () => {
    const file = await sent([RECIPIENT]);
    // A further one shows that the first ones were named long ago.
    box.record({ fromUs: START_US + 2 * MINUTE_US });
    await expect.poll(() => box.named().size).toBe(box.recorded.size);
    expect(box.store.objects.has(`box/${file}`)).toBe(false);
  });
});
