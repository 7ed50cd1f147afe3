import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../support/archive/archive-fixture.js";
import {
  ClockedRecorder,
  type DatedFrame,
  FLOOR_US,
  SECOND_US,
} from "../../support/archive/clocked-recorder.js";

const DAY_S = 86_400;
/** Reading, batches and the stream's own clock move a frame by no more than this against the truth. */
const OFF_US_MAX = 1_500_000;

let directory: ReturnType<typeof temporaryDirectory>;
let recorder: ClockedRecorder;

beforeEach(() => {
  directory = temporaryDirectory();
  recorder = new ClockedRecorder({ directory: directory.path });
});
afterEach(() => directory.remove());

function offUs(frames: readonly DatedFrame[]): number {
  expect(frames.length).toBeGreaterThan(0);
  return Math.max(...frames.map(({ trueUs, datedUs }) => Math.abs(trueUs - datedUs)));
}

async function framesOf(at = 0): Promise<DatedFrame[]> {
  const key = recorder.keys[at];
  if (key === undefined) throw new Error(`no camera ${at}`);
  return await recorder.frames(key);
}

describe("recordings made before the clock is known", () => {
  it("are dated by the true time once it is known, with their ids", async () => {
    recorder.reboot({ offSeconds: 0, wallSecondsOff: -30 * DAY_S });
    await recorder.start();
    expect(recorder.running.clock.isKnown).toBe(false);
    await recorder.record(40);
    const before = recorder.keys.flatMap((key) => recorder.running.archive.fragments(key, 0, 2 ** 52));
    expect(offUs(await framesOf())).toBeGreaterThan(29 * DAY_S * SECOND_US);
    recorder.synchronize();
    await recorder.record(20);
    await recorder.redated();
    expect(offUs(await framesOf())).toBeLessThan(OFF_US_MAX);
    expect(offUs(await framesOf(1))).toBeLessThan(OFF_US_MAX);
    const after = recorder.keys.flatMap((key) => recorder.running.archive.fragments(key, 0, 2 ** 52));
    expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
    const clockSets = recorder.notices.filter((notice) => notice.kind === "clock-set");
    expect(clockSets).toEqual([
      { kind: "clock-set", shiftUs: expect.any(Number), segmentsRedated: expect.any(Number) },
    ]);
    expect(await recorder.problems()).toEqual([]);
  });

  it("lie behind those of earlier boots though the clock stands before them", async () => {
    recorder.status = { ...recorder.status, synchronized: true };
    await recorder.start();
    await recorder.record(20);
    await recorder.stop();
    recorder.reboot({ offSeconds: 600, wallSecondsOff: -3 * DAY_S });
    await recorder.start();
    await recorder.record(20);
    const frames = await framesOf();
    frames.slice(1).forEach((frame, at) => {
      expect(frame.datedUs).toBeGreaterThan(frames[at]?.datedUs ?? 0);
    });
    expect(new Set(recorder.summaries().map(({ epoch }) => epoch)).size).toBe(1);
    recorder.synchronize();
    await recorder.record(10);
    await recorder.redated();
    expect(offUs(await framesOf())).toBeLessThan(OFF_US_MAX);
    expect(await recorder.problems()).toEqual([]);
  });

  it("are dated together though the service was restarted meanwhile", async () => {
    recorder.reboot({ offSeconds: 0, wallSecondsOff: -9 * DAY_S });
    await recorder.start();
    await recorder.record(20);
    await recorder.stop();
    await recorder.start();
    await recorder.record(20);
    await recorder.kill();
    await recorder.start();
    await recorder.record(20);
    recorder.synchronize();
    await recorder.record(20);
    await recorder.redated();
    expect(offUs(await framesOf())).toBeLessThan(OFF_US_MAX);
    expect(await recorder.problems()).toEqual([]);
  });

  it("are dated at the next start when the service is killed right after the clock became known", async () => {
    recorder.reboot({ offSeconds: 0, wallSecondsOff: -9 * DAY_S });
    await recorder.start();
    await recorder.record(30);
    recorder.synchronize();
    recorder.running.machine.advance(1_100_000);
    expect(recorder.running.clock.isKnown).toBe(true);
    await recorder.kill();
    await recorder.start();
    await recorder.record(10);
    await recorder.redated();
    expect(offUs(await framesOf())).toBeLessThan(OFF_US_MAX);
    expect(await recorder.problems()).toEqual([]);
  });

  it("are dated when the clock turns out to be behind them, in an epoch of their own", async () => {
    recorder.status = { ...recorder.status, synchronized: true };
    await recorder.start();
    await recorder.record(20);
    await recorder.stop();
    recorder.reboot({ offSeconds: 60, wallSecondsOff: 400 * DAY_S });
    await recorder.start();
    await recorder.record(30);
    recorder.synchronize();
    await recorder.record(20);
    await recorder.redated();
    expect(offUs(await framesOf())).toBeLessThan(OFF_US_MAX);
    expect(new Set(recorder.summaries().map(({ epoch }) => epoch)).size).toBeGreaterThan(1);
    expect(await recorder.problems()).toEqual([]);
  });

  it("are dated on a volume that was away, when it is back", async () => {
    recorder = new ClockedRecorder({ directory: directory.path, cameras: 4, volumes: 2 });
    recorder.reboot({ offSeconds: 0, wallSecondsOff: -9 * DAY_S });
    await recorder.start();
    await recorder.record(30);
    await recorder.stop();
    recorder.takeAway(1);
    await recorder.start();
    await recorder.record(10);
    recorder.synchronize();
    await recorder.record(10);
    await recorder.redated();
    const isOff = ({ fromUs }: { fromUs: number }) => fromUs < recorder.trueUs - DAY_S * SECOND_US;
    expect(recorder.summaries().filter(isOff).length).toBeGreaterThan(0);
    recorder.bringBack(1);
    await recorder.record(15);
    await recorder.redated();
    expect(recorder.summaries().filter(isOff)).toEqual([]);
    for (let at = 0; at < 4; at++) expect(offUs(await framesOf(at))).toBeLessThan(OFF_US_MAX);
    expect(await recorder.problems()).toEqual([]);
  });

  it("are dated the same by a rebuild from the volumes alone", async () => {
    recorder.reboot({ offSeconds: 0, wallSecondsOff: -9 * DAY_S });
    await recorder.start();
    await recorder.record(30);
    recorder.synchronize();
    await recorder.record(10);
    await recorder.redated();
    await recorder.stop();
    recorder.loseDataDirectory();
    await recorder.start();
    await recorder.rebuilt();
    expect(offUs(await framesOf())).toBeLessThan(OFF_US_MAX);
    expect(await recorder.problems()).toEqual([]);
  });

  it("are dated though a viewer follows them: it is shown no frame twice and goes on", async () => {
    recorder.reboot({ offSeconds: 0, wallSecondsOff: -9 * DAY_S });
    await recorder.start();
    await recorder.record(30);
    const [key] = recorder.keys;
    if (key === undefined) throw new Error("no camera");
    const viewer = recorder.follow(key);
    await recorder.record(5);
    recorder.synchronize();
    await recorder.record(30);
    await recorder.redated();
    await recorder.record(10);
    const seen = viewer.end();
    const times = seen.map(({ trueUs }) => trueUs);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(seen.at(-1)?.trueUs).toBeGreaterThan(recorder.trueUs - 5 * SECOND_US);
    expect(await recorder.problems()).toEqual([]);
  });

  it("stay as they are where the provisional time was right within seconds", async () => {
    recorder.reboot({ offSeconds: 0, wallSecondsOff: -4 });
    await recorder.start();
    await recorder.record(30);
    recorder.synchronize();
    await recorder.record(30);
    await recorder.redated();
    expect(recorder.notices).toEqual([
      { kind: "clock-set", shiftUs: expect.any(Number), segmentsRedated: 0 },
    ]);
    expect(offUs(await framesOf())).toBeLessThan(6 * SECOND_US);
    expect(await recorder.problems()).toEqual([]);
  });

  it("are not dated before anything that ever was: a clock that stands at 1970 starts from the floor", async () => {
    recorder.reboot({ offSeconds: 0, wallSecondsOff: -Number(FLOOR_US) / SECOND_US });
    await recorder.start();
    await recorder.record(10);
    const [first] = await framesOf();
    expect(first?.datedUs).toBeGreaterThanOrEqual(FLOOR_US);
    expect(await recorder.problems()).toEqual([]);
  });
});
