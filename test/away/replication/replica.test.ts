import { rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readManifest, revisionOf } from "../../../src/away/plan/manifest.js";
import { US_PER_HOUR } from "../../../src/base/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { AwayBox } from "../../support/away/away-box.js";
import { CutLink } from "../../support/away/cut-link.js";
import { SampleKeeper } from "../../support/away/replica-samples.js";
import { PATIENCE_MS } from "../../support/base/patience.js";

const MB = 1_000_000;
const SEGMENT_BYTES = 100_000;
const ROOM = 100 * MB;
const patient = { timeout: PATIENCE_MS, interval: 20 };

let box: AwayBox;
let keeper: SampleKeeper;

beforeEach(async () => {
  keeper = await SampleKeeper.start("77777777-0000-4000-8000-000000000001", ROOM);
  const at = { endpoint: "https://cellar", bucket: keeper.ownerId, prefix: "" };
  box = await AwayBox.start({ ...at, recorder: keeper.place });
});

afterEach(async () => {
  await box.stop();
  keeper.remove();
});

const hoursAgo = (hours: number): number => Date.now() * 1000 - hours * US_PER_HOUR;
const record = (hours: number) => box.record({ fromUs: hoursAgo(hours), bytes: SEGMENT_BYTES });

/** Keys of the segments that lie there, each as it was recorded. */
function kept(): readonly string[] {
  const segments = keeper.objects("streams/");
  for (const [key, content] of segments)
    if (box.recorded.get(key)?.equals(content) !== true) throw new Error(`${key} is not what was recorded`);
  return [...segments.keys()];
}

/** Segments that the newest manifests name. */
function named(): number {
  const newest = new Map<string, Buffer>();
  for (const [key, content] of keeper.objects("manifests/"))
    if (revisionOf(key) !== undefined) newest.set(key.slice(0, key.lastIndexOf("/")), content);
  return [...newest.values()].reduce((sum, content) => sum + readManifest(content).segments.length, 0);
}

const isSent = () => expect.poll(() => [kept().length, named()], patient);

describe("recordings at another recorder", () => {
  it("are there bit for bit, and named", async () => {
    for (const hours of [30, 2, 1]) record(hours);
    box.run();
    await isSent().toEqual([3, 3]);
    expect(box.events.raised).toEqual([]);
  });

  it("go on where they were after it was gone, and after the sender was", async () => {
    for (const hours of [3, 2]) record(hours);
    box.run();
    await isSent().toEqual([2, 2]);
    keeper.halt();
    record(1);
    await expect.poll(() => box.state?.activity, patient).toBe("failing");
    await box.halt();
    box.run();
    await keeper.run(ROOM);
    await isSent().toEqual([3, 3]);
    expect(box.state?.problem).toBeUndefined();
  });

  it("are there whole or not at all when the link is cut in the middle of one", async () => {
    const link = await CutLink.to(keeper.port);
    link.cutsAfter = SEGMENT_BYTES / 2;
    for (const hours of [3, 2]) record(hours);
    box.run({ recorder: { ...keeper.place, port: link.port } });
    await expect.poll(() => link.cuts, patient).toBeGreaterThanOrEqual(3);
    expect(kept()).toEqual([]);
    link.cutsAfter = Number.POSITIVE_INFINITY;
    await isSent().toEqual([2, 2]);
    link.stop();
  });

  it("wait while the disk there is full, and none of them goes for it", async () => {
    for (const hours of [3, 2]) record(hours);
    box.run();
    await isSent().toEqual([2, 2]);
    keeper.freeBytesMin = Number.MAX_SAFE_INTEGER;
    await keeper.run(ROOM);
    record(1);
    await expect.poll(() => box.state?.problem, patient).toContain("the disk of the other recorder is full");
    expect(kept()).toHaveLength(2);
    keeper.freeBytesMin = 0;
    await keeper.run(ROOM);
    await isSent().toEqual([3, 3]);
  });

  it("are sent again when they are damaged or missing there", async () => {
    const [first, second] = [record(3), record(2)];
    box.run();
    await isSent().toEqual([2, 2]);
    await box.halt();
    const [a = "", b = ""] = kept();
    expect([first, second]).toHaveLength(2);
    writeFileSync(keeper.fileOf(a), Buffer.alloc(SEGMENT_BYTES, 7));
    rmSync(keeper.fileOf(b));
    box.run({ auditPercent: 100 });
    const damaged = () => box.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.awayDamaged.id);
    await expect.poll(() => damaged().length, patient).toBe(2);
    await expect
      .poll(
        () =>
          keeper
            .objects("streams/")
            .get(a)
            ?.equals(box.recorded.get(a) ?? Buffer.alloc(0)),
        patient,
      )
      .toBe(true);
    await isSent().toEqual([2, 2]);
  });

  it("make room for newer ones when the share is used up, the oldest first", async () => {
    keeper.allow(5 * SEGMENT_BYTES);
    box.run();
    for (const hours of [9, 8, 7, 6, 5, 4, 3, 2, 1]) {
      const { segmentId } = record(hours);
      const key = () => kept().some((name) => name.includes(segmentId.toString(16)));
      await expect.poll(key, patient).toBe(true);
    }
    await expect.poll(() => [named() === kept().length, kept().length >= 2], patient).toEqual([true, true]);
    const newest = [...box.recorded.keys()].sort().slice(-kept().length);
    expect(kept()).toEqual(newest);
    expect(box.events.raised).toEqual([]);
  });

  it("make room also where nothing of them is named yet", async () => {
    keeper.allow(4 * SEGMENT_BYTES);
    for (const hours of [7, 6, 5, 4, 3, 2, 1]) record(hours);
    box.run();
    await expect.poll(() => [box.state?.waiting.segments, box.state?.activity], patient).toEqual([0, "idle"]);
    expect(kept()).toEqual([...box.recorded.keys()].sort().slice(-kept().length));
    expect(kept().length).toBeGreaterThanOrEqual(1);
    expect(box.events.raised).toEqual([]);
  });

  it("stay when they are protected, and then it is said that there is no room", async () => {
    keeper.allow(3 * SEGMENT_BYTES);
    box.protectedSpans.push({ channelId: box.channelId, fromUs: 0, toUs: hoursAgo(4) });
    for (const hours of [6, 5]) record(hours);
    box.run();
    await expect.poll(() => kept().length, patient).toBe(2);
    for (const hours of [3, 2]) record(hours);
    await expect.poll(() => box.state?.problem, patient).toContain("has no room for more");
    expect(kept().length).toBeGreaterThanOrEqual(2);
    const protectedKeys = [...box.recorded.keys()].sort().slice(0, 2);
    expect(kept()).toEqual(expect.arrayContaining(protectedKeys));
    expect(box.events.raised.map(({ typeId }) => typeId)).toContain(EVENT_TYPES.awayFailing.id);
  });
});
