import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StreamKey } from "../../../src/base/index.js";
import { temporaryDirectory } from "../../support/archive/archive-fixture.js";
import { ClockedRecorder, SECOND_US } from "../../support/archive/clocked-recorder.js";

const HOUR_S = 3600;
const YEAR_S = 31_536_000;
const FOREVER_US = 2 ** 52;

let directory: ReturnType<typeof temporaryDirectory>;
let recorder: ClockedRecorder;
let key: StreamKey;

beforeEach(async () => {
  directory = temporaryDirectory();
  recorder = new ClockedRecorder({ directory: directory.path, cameras: 1 });
  recorder.status = { ...recorder.status, synchronized: true };
  const [first] = recorder.keys;
  if (first === undefined) throw new Error("no camera");
  key = first;
  await recorder.start();
});
afterEach(() => directory.remove());

const fragments = () => recorder.running.archive.fragments(key, 0, FOREVER_US);

describe("a clock that is set back by two hours while it records", () => {
  it("opens one epoch; new recordings have the new time, the old ones stay as they were", async () => {
    await recorder.record(30);
    const [before] = fragments();
    recorder.setWall(-2 * HOUR_S);
    await recorder.record(30);
    const after = fragments();
    expect(after).toHaveLength(2);
    // Oldest first: the newer recording now lies before the older one.
    expect(after[1]?.id).toBe(before?.id);
    expect(after[1]?.fromUs).toBe(before?.fromUs);
    expect(
      Math.abs((after[0]?.fromUs ?? 0) - (recorder.trueUs - (2 * HOUR_S + 30) * SECOND_US)),
    ).toBeLessThan(2 * SECOND_US);
    expect(recorder.notices.filter(({ kind }) => kind === "clock-stepped")).toHaveLength(1);
    expect([...new Set(recorder.summaries().map(({ epoch }) => epoch))]).toHaveLength(2);
    expect(await recorder.problems()).toEqual([]);
  });

  it("serves the newest recording of a time that was recorded twice, and lists both", async () => {
    await recorder.record(60);
    const middleUs = recorder.trueUs - 30 * SECOND_US;
    recorder.setWall(-60);
    await recorder.record(60);
    const { archive, index } = recorder.running;
    const twice = archive.fragments(key, middleUs, middleUs + 1);
    expect(twice).toHaveLength(2);
    const epochs = twice.map(
      ({ id }) => recorder.summaries().find((one) => one.fragmentId === id)?.epoch ?? 0,
    );
    const served = index.seek(key, middleUs);
    expect(served?.epoch).toBe(Math.max(...epochs));
    const nearestUs = archive.nearestFrameUs(key, middleUs) ?? 0;
    const servedGops = served?.gops.map(({ decodeTimeUs }) => decodeTimeUs) ?? [];
    expect(servedGops).toContain(nearestUs);
    // Who plays from before it is led through the older one to its end, then into the newer.
    const frames = await recorder.frames(key);
    expect(frames.filter(({ startsFragment }) => startsFragment)).toHaveLength(2);
    const trueTimes = frames.map(({ trueUs }) => trueUs);
    expect(trueTimes).toEqual([...trueTimes].sort((a, b) => a - b));
    expect(await recorder.problems()).toEqual([]);
  });

  it("opens no epoch, and repeats no time, when it is set back by seconds only", async () => {
    await recorder.record(30);
    recorder.setWall(-5);
    await recorder.record(30);
    const [first, second] = fragments();
    expect(second?.fromUs).toBeGreaterThanOrEqual(first?.toUs ?? 0);
    expect([...new Set(recorder.summaries().map(({ epoch }) => epoch))]).toHaveLength(1);
    expect(await recorder.problems()).toEqual([]);
  });

  it("is noticed though the service is killed right after the step, or the clock is set while it does not run", async () => {
    for (const wait of [1, 0]) {
      await recorder.record(40);
      if (wait === 1) {
        recorder.setWall(-HOUR_S);
        await recorder.record(wait);
        await recorder.kill();
      } else {
        await recorder.stop();
        recorder.stepWhileStopped(-HOUR_S * SECOND_US);
      }
      await recorder.start();
      await recorder.record(20);
    }
    expect(await recorder.problems()).toEqual([]);
  });
});

describe("a clock that is set a year ahead and back again", () => {
  it("leaves what it dated ahead where it is; new recordings are the newest, and findable at their time", async () => {
    await recorder.record(20);
    recorder.setWall(YEAR_S);
    await recorder.record(20);
    recorder.setWall(0);
    await recorder.record(20);
    const all = fragments();
    expect(all).toHaveLength(3);
    expect((all[2]?.fromUs ?? 0) - (all[1]?.fromUs ?? 0)).toBeGreaterThan((YEAR_S - 100) * SECOND_US);
    const { archive, index } = recorder.running;
    const newest = index.newest(key);
    expect(Math.abs((newest?.toUs ?? 0) - recorder.trueUs)).toBeLessThan(3 * SECOND_US);
    expect(archive.hasArchiveAt(key, recorder.trueUs - 5 * SECOND_US)).toBe(true);
    await recorder.stop();
    await recorder.start();
    await recorder.record(20);
    expect(Math.abs((recorder.running.index.newest(key)?.toUs ?? 0) - recorder.trueUs)).toBeLessThan(
      3 * SECOND_US,
    );
    expect(await recorder.problems()).toEqual([]);
  });

  it("is oldest first for retention by time: what is dated ahead goes last, new recordings in their turn", async () => {
    await recorder.record(20);
    recorder.setWall(YEAR_S);
    await recorder.record(20);
    recorder.setWall(0);
    await recorder.record(20);
    const { index } = recorder.running;
    await recorder.flushed();
    const times = index.oldest(1000).map(({ fromUs }) => fromUs);
    expect(times.length).toBeGreaterThan(4);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)).toBeGreaterThan(recorder.trueUs + (YEAR_S - 100) * SECOND_US);
    expect(await recorder.problems()).toEqual([]);
  });

  it("gives out segment ids that rise, and whose days go on with the time that passes", async () => {
    await recorder.record(10);
    recorder.setWall(YEAR_S);
    await recorder.record(10);
    const aheadIds = recorder.summaries().map(({ segmentId }) => segmentId);
    recorder.setWall(0);
    await recorder.record(60);
    const ids = recorder
      .summaries()
      .sort((a, b) => a.epoch - b.epoch || a.fromUs - b.fromUs)
      .map(({ segmentId }) => segmentId);
    expect(new Set(ids).size).toBe(ids.length);
    const passedUs = Math.max(...ids) - Math.max(...aheadIds);
    expect(passedUs).toBeGreaterThan(40 * SECOND_US);
    expect(await recorder.problems()).toEqual([]);
  });
});

describe("a quick restart", () => {
  it("opens no epoch in the same boot", async () => {
    await recorder.record(20);
    await recorder.kill();
    await recorder.start();
    await recorder.record(20);
    await recorder.stop();
    await recorder.start();
    await recorder.record(20);
    expect([...new Set(recorder.summaries().map(({ epoch }) => epoch))]).toEqual([0]);
    expect(await recorder.problems()).toEqual([]);
  });
});
