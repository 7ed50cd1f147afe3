import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLOCK_KNOWN, type ClockKnowledge, type ClockSet, createLog } from "../../../src/base/index.js";
import {
  FigureHistory,
  type FigureValues,
  HISTORY_FILE,
  HISTORY_FILE_BYTES,
} from "../../../src/health/index.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { figureValues } from "../../support/health/figure-values.js";

const MINUTE_US = 60_000_000;
const DAY_MINUTES = 1440;

let directory: TemporaryDirectory;
let clock: SimulatedClock;
const logged: string[] = [];
const log = createLog({ level: "info", destination: { write: (line) => void logged.push(line) } });

beforeEach(() => {
  directory = new TemporaryDirectory("history");
  clock = new SimulatedClock();
  logged.length = 0;
});

afterEach(() => directory.remove());

function history(
  options: { figures?: () => FigureValues; knowledge?: ClockKnowledge; dataDir?: string } = {},
): FigureHistory {
  return new FigureHistory({
    dataDir: options.dataDir ?? directory.path,
    figures: async () => options.figures?.() ?? figureValues(),
    knowledge: options.knowledge ?? CLOCK_KNOWN,
    ...{ clock, log },
  });
}

/** Lets timers run, and what they began. */
async function minutes(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) {
    clock.advance(MINUTE_US);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const known = (samples: readonly unknown[]) => samples.filter((sample) => sample !== undefined).length;

describe("the figures of a day and a month", () => {
  it("are noted once a minute by themselves, and are there after a restart", async () => {
    let cpu = 0;
    const figures = () => {
      cpu += 1;
      return figureValues({ cpuPercent: cpu });
    };
    const first = history({ figures });
    await first.start();
    await minutes(10);
    await first.stop();
    const again = history();
    await again.start();
    const day = again.read("Day");
    expect(day.stepSeconds).toBe(60);
    expect(day.samples).toHaveLength(DAY_MINUTES);
    const noted = day.samples.filter((sample) => sample !== undefined);
    // The reading at the start is what the first minute is compared with.
    expect(noted.map(({ means }) => means.cpuPercent)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await again.stop();
  });

  it("take the same room after three months as after a minute, and hold a day and a month of it", async () => {
    const recorder = history();
    await recorder.start();
    for (let minute = 0; minute < 92 * DAY_MINUTES; minute += 1) {
      clock.advance(MINUTE_US);
      recorder.note(
        figureValues({ cpuPercent: minute % 30 === 7 ? 91 : 1, depthDays: minute / DAY_MINUTES }),
      );
    }
    const month = recorder.read("Month");
    expect(month.stepSeconds).toBe(1800);
    expect(known(month.samples)).toBe(31 * 48);
    expect(known(recorder.read("Day").samples)).toBe(DAY_MINUTES);
    const before = month.samples.at(-2);
    expect(before?.means.cpuPercent).toBeCloseTo(4, 5);
    expect(before?.peaks.cpuPercent).toBe(91);
    expect(month.samples[0]?.means.depthDays).toBeCloseTo(61, 0);
    await recorder.stop();
    expect(statSync(directory.join(HISTORY_FILE)).size).toBe(HISTORY_FILE_BYTES);
    expect(HISTORY_FILE_BYTES).toBeLessThan(200_000);
  });

  it("have gaps where the recorder was off, and nothing older than they report", async () => {
    const first = history();
    await first.start();
    for (let minute = 0; minute < 30; minute += 1, clock.advance(MINUTE_US)) first.note(figureValues());
    await first.stop();
    clock.advance(3 * 3600 * 1_000_000);
    const second = history();
    await second.start();
    expect(known(second.read("Day").samples)).toBe(30);
    clock.advance(25 * 3600 * 1_000_000);
    expect(known(second.read("Day").samples)).toBe(0);
    expect(known(second.read("Month").samples)).toBeGreaterThan(0);
    clock.advance(40 * 86_400 * 1_000_000);
    expect(known(second.read("Month").samples)).toBe(0);
    await second.stop();
  });

  it("lose no more than the last five minutes in a power cut", async () => {
    const recorder = history();
    await recorder.start();
    await minutes(61);
    // The disk as a power cut leaves it.
    const left = directory.join("left");
    mkdirSync(left);
    const leftMinutes = async () => {
      copyFileSync(directory.join(HISTORY_FILE), `${left}/${HISTORY_FILE}`);
      const again = history({ dataDir: left });
      await again.start();
      const { samples } = again.read("Day");
      expect(known(again.read("Month").samples)).toBeGreaterThan(0);
      await again.stop();
      return known(samples);
    };
    await expect.poll(leftMinutes).toBeGreaterThanOrEqual(61 - 5);
    await recorder.stop();
  });

  it("are reported without what is damaged, whatever is in the file", async () => {
    const recorder = history();
    await recorder.start();
    for (let minute = 0; minute < DAY_MINUTES; minute += 1, clock.advance(MINUTE_US))
      recorder.note(figureValues());
    await recorder.stop();
    const file = directory.join(HISTORY_FILE);
    const whole = readFileSync(file);
    const random = new SeededRandom(7);
    for (let round = 0; round < 12; round += 1) {
      const bytes = Buffer.from(
        whole.subarray(0, round % 4 === 0 ? random.below(whole.length) : whole.length),
      );
      for (let flips = 0; flips < 40 && bytes.length > 0; flips += 1) {
        const at = random.below(bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      }
      writeFileSync(file, bytes);
      const again = history();
      await again.start();
      const { samples } = again.read("Day");
      for (const sample of samples) expect(sample?.means ?? figureValues()).toEqual(figureValues());
      if (bytes.length === whole.length) expect(known(samples)).toBeGreaterThan(DAY_MINUTES - 80);
      await again.stop();
      expect(statSync(file).size).toBe(HISTORY_FILE_BYTES);
    }
  });

  it("move with the clock when it becomes known", async () => {
    let set: (change: ClockSet) => void = () => undefined;
    let isKnown = false;
    const knowledge = {
      ...CLOCK_KNOWN,
      get isKnown() {
        return isKnown;
      },
      onSet: (listener: (change: ClockSet) => void) => {
        set = listener;
      },
    };
    const recorder = history({ knowledge });
    await recorder.start();
    for (let minute = 0; minute < 20; minute += 1, clock.advance(MINUTE_US)) recorder.note(figureValues());
    const startUs = clock.nowUs();
    isKnown = true;
    const shiftUs = 5 * 86_400 * 1_000_000;
    set({ offsetUs: 0, shiftUs, provisionalFromUs: startUs });
    expect(known(recorder.read("Day").samples)).toBe(0);
    expect(known(recorder.read("Month").samples)).toBe(0);
    clock.advance(shiftUs);
    expect(known(recorder.read("Day").samples)).toBe(20);
    await recorder.stop();
  });

  it("are kept in memory where the disk refuses them, which is said once", async () => {
    const dataDir = directory.join("nowhere");
    const recorder = history({ dataDir });
    await recorder.start();
    await minutes(20);
    expect(known(recorder.read("Day").samples)).toBe(20);
    expect(logged.filter((line) => line.includes("kept in memory only"))).toHaveLength(1);
    mkdirSync(dataDir);
    await recorder.stop();
    expect(statSync(`${dataDir}/${HISTORY_FILE}`).size).toBe(HISTORY_FILE_BYTES);
  });
});
