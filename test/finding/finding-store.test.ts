import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { VolumeError } from "../../src/archive/index.js";
import { type Guid, NvrdError } from "../../src/base/index.js";
import { FindingHarness, GATE, VOLUME, YARD } from "../support/finding/finding-harness.js";
import { MemorySideFiles } from "../support/finding/memory-side-files.js";

const BOX = { left: 0.2, top: 0.3, width: 0.1, height: 0.2 };
const DAY_US = 86_400_000_000;
const PATH = `findings/${GATE}/2024-01-01.findings`;

function fileOf(harness: FindingHarness): Buffer {
  return harness.volume.files.get(PATH) ?? Buffer.alloc(0);
}

describe("the store of findings", () => {
  it("finds what lasts, and what is over, before it is on a volume", async () => {
    const harness = new FindingHarness();
    const id = harness.lasting.begin({ channelId: GATE, kind: "person", source: "recorder", atUs: 5 });
    expect(await harness.found()).toEqual([id]);
    harness.lasting.end(id ?? "");
    expect((await harness.store.get(id ?? ""))?.isLasting).toBe(false);
  });

  it("keeps the whole of a finding on the volume of its recordings", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const id = harness.seen(
      { atUs: harness.clock.nowUs(), box: BOX, score: 0.5, zones: ["Gate"] },
      { box: { ...BOX, left: 0.4 }, score: 0.9, line: "Fence", direction: "leftToRight" },
    );
    const before = await harness.store.get(id);
    await harness.store.flush();
    expect(fileOf(harness).toString()).toContain("Fence");
    expect(await harness.store.get(id)).toEqual(before);
    expect(before?.path).toHaveLength(2);
  });

  it("keeps no moment before that of its picture, which would be the one before", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const beginUs = harness.clock.nowUs();
    const bestUs = beginUs + 600_001;
    const id = harness.seen({ atUs: beginUs, box: BOX, quality: 1 }, { atUs: bestUs, box: BOX, quality: 2 });
    await harness.store.flush();
    const { best, path = [] } = (await harness.store.get(id)) ?? {};
    expect(best?.timeUs).toBeGreaterThanOrEqual(bestUs);
    expect(best?.timeUs).toBeLessThan(bestUs + 1000);
    expect(path.map(({ timeUs }) => timeUs)).toEqual([beginUs, best?.timeUs]);
  });

  it("gives all lines of a channel's day for the storage off the box", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    harness.seen({ atUs: harness.clock.nowUs() });
    const linesOf = () => harness.store.linesOf(GATE, "2024-01-01", 1_000_000);
    expect(await linesOf()).toBeUndefined();
    await harness.store.flush();
    expect(Buffer.from((await linesOf()) ?? "")).toEqual(fileOf(harness));
    expect(fileOf(harness).length).toBeGreaterThan(0);
    expect(await harness.store.linesOf(YARD, "2024-01-01", 1_000_000)).toBeUndefined();
  });

  it("finds everything again after a crash, the index lost as well", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const ids = [0, 1, 2].map((day) => harness.seen({ atUs: harness.clock.nowUs() + day * DAY_US }));
    await harness.store.flush();
    rmSync(join(harness.dataDir, "findings"), { recursive: true });
    harness.start();
    await harness.store.read();
    expect(await harness.found()).toEqual([...ids].reverse());
    expect(harness.store.state()).toMatchObject({ unread: 0, lost: 0 });
  });

  it("says that there is something to read until every volume was compared with the index", async () => {
    const harness = new FindingHarness();
    expect(harness.store.state().unread).toBe(1);
    await harness.store.read();
    expect(harness.store.state().unread).toBe(0);
    harness.inUse = [harness.volume, new MemorySideFiles("00000000-0000-0000-0000-0000000000f2" as Guid)];
    expect(harness.store.state().unread).toBe(1);
    await harness.store.read();
    expect(harness.store.state().unread).toBe(0);
  });

  it("says that there is something to read while volumes are being opened", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    harness.isOpening = true;
    expect(harness.store.state().unread).toBe(1);
    harness.isOpening = false;
    expect(harness.store.state().unread).toBe(0);
  });

  it("answers for what the index has as soon as it is asked", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const id = harness.seen({ atUs: harness.clock.nowUs() });
    await harness.store.flush();
    harness.start();
    expect(await harness.store.get(id)).toMatchObject({ id });
  });

  it("reads no file again that the index has", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    harness.seen({ atUs: harness.clock.nowUs() });
    await harness.store.flush();
    harness.volume.reads = 0;
    harness.start();
    await harness.store.read();
    expect(await harness.found()).toHaveLength(1);
    expect(harness.volume.reads).toBe(0);
  });

  it("reads a damaged day of the index from the volumes again", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const id = harness.seen({ atUs: harness.clock.nowUs() - 3 * DAY_US });
    await harness.store.flush();
    const directory = join(harness.dataDir, "findings");
    for (const name of readdirSync(directory)) writeFileSync(join(directory, name), "damaged");
    harness.start();
    await harness.store.read();
    expect(await harness.found()).toEqual([id]);
  });

  it("cuts a torn end off, and goes on behind what is whole", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const whole = harness.seen({ atUs: harness.clock.nowUs() });
    await harness.store.flush();
    const torn = harness.seen({ atUs: harness.clock.nowUs() + 10 });
    await harness.store.flush();
    harness.volume.files.set(PATH, fileOf(harness).subarray(0, -7));
    harness.start();
    await harness.store.read();
    const next = harness.seen({ atUs: harness.clock.nowUs() + 20 });
    await harness.store.flush();
    harness.start();
    await harness.store.read();
    expect(await harness.found()).toEqual([next, whole]);
    expect(await harness.store.get(torn)).toBeUndefined();
    expect((await harness.store.get(next))?.id).toBe(next);
  });

  it("loses no more than the damaged line of a file", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const ids = [0, 10, 20].map((atUs) => harness.seen({ atUs: harness.clock.nowUs() + atUs }));
    await harness.store.flush();
    const bytes = Buffer.from(fileOf(harness));
    const second = bytes.indexOf("\n") + 20;
    bytes[second] = (bytes[second] ?? 0) ^ 1;
    harness.volume.files.set(PATH, bytes);
    rmSync(join(harness.dataDir, "findings"), { recursive: true });
    harness.start();
    await harness.store.read();
    expect(await harness.found()).toEqual([ids[2], ids[0]]);
  });

  it("writes once a minute what lasts, so that a crash keeps its begin", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const id = harness.lasting.begin({
      channelId: GATE,
      kind: "person",
      source: "recorder",
      atUs: harness.clock.nowUs(),
    });
    for (let second = 0; second < 65; second++) {
      harness.clock.advance(1000);
      harness.lasting.grow(id ?? "", { atUs: harness.clock.nowUs() });
    }
    await harness.store.flush();
    harness.start();
    await harness.store.read();
    const kept = await harness.store.get(id ?? "");
    expect(kept).toMatchObject({ isLasting: false });
    expect((kept?.seenUs ?? 0) - (kept?.beginUs ?? 0)).toBeGreaterThan(4_000_000);
  });

  it("holds findings until a volume takes them", async () => {
    const harness = new FindingHarness();
    harness.inUse = [];
    await harness.store.read();
    const id = harness.seen({ atUs: harness.clock.nowUs() });
    await harness.store.flush();
    expect(await harness.found()).toEqual([id]);
    harness.inUse = [harness.volume];
    await harness.store.read();
    await harness.store.flush();
    expect(harness.store.state().waiting).toBe(0);
    harness.start();
    await harness.store.read();
    expect(await harness.found()).toEqual([id]);
  });

  it("tries again what a disk refused", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    harness.volume.fault = Object.assign(new Error("no space"), { code: "ENOSPC" });
    harness.seen({ atUs: harness.clock.nowUs() });
    await harness.store.flush();
    expect(harness.volume.files.size).toBe(0);
    harness.volume.fault = undefined;
    await harness.store.flush();
    expect(fileOf(harness).length).toBeGreaterThan(0);
  });

  it("lets findings go with the recordings of their channel, and keeps those beside recordings", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const nowUs = harness.clock.nowUs();
    const old = harness.seen({ atUs: nowUs - 3 * DAY_US });
    const recent = harness.seen({ atUs: nowUs - DAY_US });
    const other = harness.seen({ atUs: nowUs - 3 * DAY_US, channelId: YARD });
    await harness.store.flush();
    expect(await harness.found()).toHaveLength(3);
    harness.recorded = new Map([
      [GATE, nowUs - DAY_US],
      [YARD, nowUs - 10 * DAY_US],
    ]);
    await harness.store.flush();
    expect(await harness.found()).toEqual([recent, other]);
    expect(await harness.store.get(old)).toBeUndefined();
    expect(harness.volume.files.size).toBe(2);
  });

  it("lets go at once what a removed camera without recordings has left", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    harness.seen({ atUs: harness.clock.nowUs() });
    await harness.store.flush();
    harness.recorded = new Map();
    harness.configured = [];
    await harness.store.flush();
    expect(await harness.found()).toEqual([]);
    expect(harness.volume.files.size).toBe(0);
  });

  it("forgets what a volume had that is none of the recorder any more", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    harness.seen({ atUs: harness.clock.nowUs() });
    await harness.store.flush();
    const other = new MemorySideFiles(YARD);
    [harness.inUse, harness.knownIds] = [[other], [YARD]];
    harness.start();
    await harness.store.read();
    expect(await harness.found()).toEqual([]);
  });

  it("shows what a volume has that is away", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const id = harness.seen({ atUs: harness.clock.nowUs() });
    await harness.store.flush();
    [harness.inUse, harness.knownIds] = [[], [VOLUME]];
    harness.start();
    await harness.store.read();
    expect(await harness.found()).toEqual([id]);
  });
});

const FAILING = "findings cannot be kept at the moment: trying again";
const WELL = "findings are kept again";
const UNREMOVED = "old findings cannot be removed: trying again";

describe("findings whose volume", () => {
  it("does not answer are found meanwhile, and so is what is seen then", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    let answer = (): void => undefined;
    harness.volume.silence = new Promise((resolve) => {
      answer = resolve;
    });
    const first = harness.seen({ atUs: harness.clock.nowUs() });
    const written = harness.store.flush();
    const second = harness.seen({ atUs: harness.clock.nowUs() + 10 });
    expect(await harness.found()).toEqual([second, first]);
    answer();
    await written;
    await harness.store.flush();
    expect(fileOf(harness).toString().trim().split("\n")).toHaveLength(2);
  });

  it("does not answer are as they were told last, once it does", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const id = harness.lasting.begin({ channelId: GATE, kind: "person", source: "recorder", atUs: 5 }) ?? "";
    let answer = (): void => undefined;
    harness.volume.silence = new Promise((resolve) => {
      answer = resolve;
    });
    const written = harness.store.flush();
    await expect.poll(() => harness.store.state().waiting).toBe(0);
    harness.lasting.grow(id, { atUs: 6_000_000, label: "postman" });
    harness.lasting.end(id, 6_000_000);
    expect(await harness.found({ labels: ["postman"] })).toEqual([id]);
    answer();
    await written;
    expect(await harness.found({ labels: ["postman"] })).toEqual([id]);
  });

  it("refuses are reported once each time, although something lasts", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    harness.lasting.begin({
      channelId: YARD,
      kind: "person",
      source: "recorder",
      atUs: harness.clock.nowUs(),
    });
    for (const time of [1, 2]) {
      harness.volume.fault = Object.assign(new Error("no space"), { code: "ENOSPC" });
      harness.seen({ atUs: harness.clock.nowUs() + time });
      await harness.store.flush();
      await harness.store.flush();
      expect(harness.store.state()).toMatchObject({ waiting: 1, isFailing: true });
      harness.volume.fault = undefined;
      await harness.store.flush();
      expect(harness.store.state()).toMatchObject({ waiting: 0, isFailing: false });
    }
    expect(harness.said).toEqual([FAILING, WELL, FAILING, WELL]);
  });

  it("has lost some of a file are written behind what is left of it", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const first = harness.seen({ atUs: harness.clock.nowUs() });
    await harness.store.flush();
    const { length } = fileOf(harness);
    harness.seen({ atUs: harness.clock.nowUs() + 10 });
    await harness.store.flush();
    harness.volume.files.set(PATH, fileOf(harness).subarray(0, length));
    const third = harness.seen({ atUs: harness.clock.nowUs() + 20 });
    await harness.store.flush();
    await harness.store.read();
    expect(await harness.found()).toEqual([third, first]);
    await harness.store.flush();
    harness.start();
    await harness.store.read();
    expect(await harness.found()).toEqual([third, first]);
  });

  it("is away for long are given up, the oldest first, and found no more", async () => {
    const harness = new FindingHarness();
    harness.bounds = { waitingMax: 3 };
    harness.inUse = [];
    harness.start();
    const ids: string[] = [];
    for (const day of [0, 1, 2, 3, 4]) {
      ids.push(harness.seen({ atUs: harness.clock.nowUs() + day * DAY_US }));
      await harness.found();
    }
    harness.seen({ atUs: harness.clock.nowUs() + 5 * DAY_US, channelId: YARD });
    await harness.store.flush();
    expect((await harness.found()).slice(1)).toEqual([ids[4], ids[3]]);
    expect(harness.store.state()).toMatchObject({ waiting: 3, lost: 3 });
    expect(harness.said.filter((line) => line.startsWith("findings were not kept"))).toHaveLength(1);
  });

  it("is away are bounded at once, the oldest given up", async () => {
    const harness = new FindingHarness();
    harness.bounds = { waitingMax: 2 };
    harness.inUse = [];
    harness.start();
    const ids = [0, 1, 2].map((at) => harness.seen({ atUs: harness.clock.nowUs() + at }));
    expect(await harness.found()).toEqual([ids[2], ids[1]]);
    expect(harness.store.state()).toMatchObject({ waiting: 2, lost: 1 });
  });

  it("has more than its share leave, the oldest days first", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const ids = [0, 1, 2].map((day) => harness.seen({ atUs: harness.clock.nowUs() + day * DAY_US }));
    await harness.store.flush();
    harness.bounds = { volumeBytesMax: fileOf(harness).length * 2.5 };
    harness.start();
    await harness.store.read();
    await harness.store.flush();
    expect(await harness.found()).toEqual([ids[2], ids[1]]);
    expect(harness.volume.files.size).toBe(2);
  });
});

describe("findings that cannot be removed", () => {
  async function oldOnes() {
    const harness = new FindingHarness();
    await harness.store.read();
    for (const day of [3, 4, 5]) harness.seen({ atUs: harness.clock.nowUs() - day * DAY_US });
    await harness.store.flush();
    harness.recorded = new Map([[GATE, harness.clock.nowUs()]]);
    return harness;
  }

  it.each([
    ["does not answer", new NvrdError("NOT_AVAILABLE", "it does not answer"), 1],
    ["refuses one", new VolumeError("EIO", "input/output error"), 3],
  ])("are asked for once more where the volume %s", async (_what, fault, removals) => {
    const harness = await oldOnes();
    harness.volume.removeFault = fault;
    await harness.store.flush();
    expect(harness.volume.removals).toBe(removals);
    harness.volume.removeFault = undefined;
    await harness.store.flush();
    expect(harness.volume.files.size).toBe(0);
  });

  it("are reported each time that it begins", async () => {
    const harness = await oldOnes();
    for (const day of [6, 7]) {
      harness.volume.removeFault = new VolumeError("EIO", "input/output error");
      await harness.store.flush();
      await harness.store.flush();
      harness.volume.removeFault = undefined;
      await harness.store.flush();
      harness.recorded = undefined;
      harness.seen({ atUs: harness.clock.nowUs() - day * DAY_US });
      await harness.store.flush();
      harness.recorded = new Map([[GATE, harness.clock.nowUs()]]);
    }
    expect(harness.said.filter((line) => line === UNREMOVED)).toHaveLength(2);
  });
});
