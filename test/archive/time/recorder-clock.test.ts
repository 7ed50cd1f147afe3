import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLOCK_FLOOR_US, RecorderClock, type RecorderClockOptions } from "../../../src/archive/index.js";
import {
  type ClockSet,
  type ClockStatus,
  createLog,
  hasBatteryTime,
  hasHostTime,
  newGuid,
  readBatteryTimeUs,
  readClockStatus,
} from "../../../src/base/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;
const DAY_US = 86_400 * SECOND_US;
const NOW_US = CLOCK_FLOOR_US + 300 * DAY_US;
const NOTHING_KNOWN: ClockStatus = {
  synchronized: false,
  fromBatteryClock: false,
  fromHostClock: false,
  batteryTimeUs: undefined,
};
const BY_TIME_SERVER = { ...NOTHING_KNOWN, synchronized: true };
const BY_BATTERY = { ...NOTHING_KNOWN, fromBatteryClock: true };
const BY_HOST = { ...NOTHING_KNOWN, fromHostClock: true };

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), "nvrd-clock-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function make(system: SimulatedClock, options: Partial<RecorderClockOptions> = {}): RecorderClock {
  const clock = new RecorderClock({
    ...{ system, dataDir, bootId: "00000000-0000-0000-0000-000000000001", trust: "auto" },
    ...{ status: () => NOTHING_KNOWN, newestUs: () => 0, log: createLog({ level: "silent" }) },
    ...options,
  });
  clock.start();
  return clock;
}

describe("the clock of the service", () => {
  it.each([
    {
      name: "a time server disciplines it",
      options: { status: () => BY_TIME_SERVER },
    },
    {
      name: "it came from a battery clock",
      options: { status: () => BY_BATTERY },
    },
    { name: "it came from the host of a virtual machine", options: { status: () => BY_HOST } },
    { name: "the settings say so", options: { trust: "always" as const } },
  ])("is known at once when $name", async ({ options }) => {
    const clock = make(new SimulatedClock(NOW_US), options);
    expect([clock.isKnown, clock.nowUs(), clock.set]).toEqual([true, NOW_US, undefined]);
    await clock.stop();
  });

  it.each([
    { name: "before this program", wallUs: CLOCK_FLOOR_US - DAY_US, newestUs: 0 },
    { name: "long before the newest recording", wallUs: NOW_US - DAY_US, newestUs: NOW_US },
  ])("is not known from a battery clock that stands $name", async ({ wallUs, newestUs }) => {
    const status = () => BY_BATTERY;
    const clock = make(new SimulatedClock(wallUs), { status, newestUs: () => newestUs });
    expect(clock.isKnown).toBe(false);
    await clock.stop();
  });

  it("continues after the newest recording while it is not known, whatever the wall clock does", async () => {
    const system = new SimulatedClock(NOW_US - 40 * DAY_US);
    const clock = make(system, { newestUs: () => NOW_US });
    expect(clock.nowUs()).toBe(NOW_US + 1);
    system.advance(10 * SECOND_US);
    system.stepWall(-400 * DAY_US);
    system.advance(10 * SECOND_US);
    expect(clock.nowUs()).toBe(NOW_US + 1 + 20 * SECOND_US);
    expect(clock.isKnown).toBe(false);
    await clock.stop();
  });

  it("takes the wall clock once it is known, and reports the difference", async () => {
    const system = new SimulatedClock(NOW_US - 40 * DAY_US);
    let status = NOTHING_KNOWN;
    const clock = make(system, { status: () => status });
    const clockSets: ClockSet[] = [];
    clock.onSet((set) => clockSets.push(set));
    system.advance(5 * SECOND_US);
    system.stepWall(40 * DAY_US);
    status = BY_TIME_SERVER;
    system.advance(SECOND_US);
    expect(clock.isKnown).toBe(true);
    expect(clock.nowUs()).toBe(system.nowUs());
    const provisionalFromUs = NOW_US - 40 * DAY_US;
    expect(clockSets).toEqual([{ offsetUs: NOW_US, shiftUs: 40 * DAY_US, provisionalFromUs }]);
    await clock.stop();
  });

  it("is known when somebody sets it to a plausible time", async () => {
    const system = new SimulatedClock(NOW_US - 40 * DAY_US);
    const clock = make(system);
    system.stepWall(40 * DAY_US);
    system.advance(SECOND_US);
    expect(clock.isKnown).toBe(true);
    await clock.stop();
  });

  it.each([
    ["battery clock", BY_BATTERY],
    ["host", BY_HOST],
  ])("is not known from a %s where only the network is trusted", async (_name, status) => {
    const clock = make(new SimulatedClock(NOW_US), { trust: "network", status: () => status });
    expect(clock.isKnown).toBe(false);
    await clock.stop();
  });

  it("is known from then on when an operator vouches for it", async () => {
    const system = new SimulatedClock(NOW_US);
    const newestUs = () => NOW_US + DAY_US;
    const clock = make(system, { newestUs });
    const clockSets: ClockSet[] = [];
    clock.onSet((set) => clockSets.push(set));
    expect(clock.knownBy).toBeUndefined();
    clock.trust();
    expect([clock.isKnown, clock.knownBy, clock.nowUs()]).toEqual([true, "operator", system.nowUs()]);
    expect(clockSets).toHaveLength(1);
    await clock.stop();
    const again = make(system, { newestUs });
    expect([again.isKnown, again.knownBy]).toEqual([true, "operator"]);
    await again.stop();
    const afterReboot = make(system, { newestUs, bootId: newGuid() });
    expect(afterReboot.isKnown).toBe(false);
    await afterReboot.stop();
  });

  it.each([
    ["each minute while it does not agree with a time server", NOW_US - DAY_US, 3],
    ["until it agrees with a time server, once a boot", undefined, 1],
  ])("asks for the battery clock %s", async (_when, batteryTimeUs, times) => {
    const system = new SimulatedClock(NOW_US);
    let asked = 0;
    const status = () => {
      asked += 1;
      return { ...BY_TIME_SERVER, batteryTimeUs: batteryTimeUs ?? system.nowUs() };
    };
    const clock = make(system, { status });
    asked = 0;
    for (let second = 0; second < 180; second++) system.advance(SECOND_US);
    expect(asked).toBe(times);
    await clock.stop();
  });

  it("believes a battery clock that the kernel does not vouch for once a time server found it right", async () => {
    const system = new SimulatedClock(NOW_US);
    let status = { ...NOTHING_KNOWN, batteryTimeUs: NOW_US };
    const unproven = make(system, { status: () => status });
    expect(unproven.isKnown).toBe(false);
    await unproven.stop();
    status = { ...BY_TIME_SERVER, batteryTimeUs: NOW_US };
    const proving = make(system, { status: () => status });
    system.advance(SECOND_US);
    await proving.stop();
    const rebooted = (batteryTimeUs: number) =>
      make(system, { status: () => ({ ...NOTHING_KNOWN, batteryTimeUs }), bootId: newGuid() });
    const right = rebooted(system.nowUs() - SECOND_US);
    expect([right.isKnown, right.knownBy]).toEqual([true, "battery-clock"]);
    await right.stop();
    const wrong = rebooted(system.nowUs() - 60 * SECOND_US);
    expect(wrong.isKnown).toBe(false);
    await wrong.stop();
  });

  it("goes on with the same provisional time when the service starts again in the same boot, and reports it again", async () => {
    const system = new SimulatedClock(NOW_US - 40 * DAY_US);
    const first = make(system, { newestUs: () => NOW_US });
    await first.stop();
    system.advance(100 * SECOND_US);
    const second = make(system, { newestUs: () => NOW_US + DAY_US });
    expect(second.nowUs()).toBe(NOW_US + 1 + 100 * SECOND_US);
    system.stepWall(40 * DAY_US);
    system.advance(SECOND_US);
    const { set } = second;
    expect(set?.provisionalFromUs).toBe(NOW_US + 1);
    await second.stop();
    const third = make(system);
    expect([third.isKnown, third.set]).toEqual([true, set]);
    await third.stop();
    const afterReboot = make(system, { bootId: newGuid() });
    expect([afterReboot.isKnown, afterReboot.set]).toEqual([false, undefined]);
    await afterReboot.stop();
  });

  it("continues without a damaged file", async () => {
    mkdirSync(dataDir, { recursive: true });
    for (const text of ["", "{", '{"formatVersion":1}', "null", "\0".repeat(5000)]) {
      writeFileSync(path.join(dataDir, "clock.json"), text);
      const clock = make(new SimulatedClock(NOW_US), { trust: "always" });
      expect(clock.nowUs()).toBe(NOW_US);
      await clock.stop();
    }
  });

  it("reports each step of more than a second of a known clock, and no drift", async () => {
    const system = new SimulatedClock(NOW_US);
    const clock = make(system, { trust: "always" });
    const steps: number[] = [];
    clock.onStepped((shiftUs) => steps.push(shiftUs));
    for (let second = 0; second < 100; second += 1) {
      system.advance(SECOND_US);
      system.stepWall(500);
    }
    system.stepWall(-7 * SECOND_US);
    system.advance(SECOND_US);
    system.stepWall(3600 * SECOND_US);
    system.advance(SECOND_US);
    expect(steps.map((us) => Math.round(us / SECOND_US))).toEqual([-7, 3600]);
    await clock.stop();
    expect(system.timers).toBe(0);
  });
});

describe("what the machine says of its clock", () => {
  it("is read without an error, whatever machine this is", () => {
    const { synchronized, fromBatteryClock } = readClockStatus();
    expect([typeof synchronized, typeof fromBatteryClock]).toEqual(["boolean", "boolean"]);
  });

  it("counts the host of a virtual machine that hands its wall clock to the kernel", () => {
    const file = path.join(dataDir, "available_clocksource");
    expect(hasHostTime(file)).toBe(false);
    writeFileSync(file, "tsc hpet acpi_pm \n");
    expect(hasHostTime(file)).toBe(false);
    writeFileSync(file, "tsc kvm-clock \n");
    expect(hasHostTime(file)).toBe(true);
  });

  it("reads the first battery clock that shows a time", () => {
    expect(readBatteryTimeUs(path.join(dataDir, "none"))).toBeUndefined();
    for (const [name, text] of [
      ["rtc0", "nothing"],
      ["rtc1", "1790000000\n"],
    ] as const) {
      mkdirSync(path.join(dataDir, name));
      writeFileSync(path.join(dataDir, name, "since_epoch"), text);
    }
    expect(readBatteryTimeUs(dataDir)).toBe(1_790_000_000 * SECOND_US);
  });

  it("counts a battery clock only that the kernel took the time from", () => {
    expect(hasBatteryTime(path.join(dataDir, "none"))).toBe(false);
    mkdirSync(path.join(dataDir, "rtc0"));
    expect(hasBatteryTime(dataDir)).toBe(false);
    writeFileSync(path.join(dataDir, "rtc0", "hctosys"), "0\n");
    mkdirSync(path.join(dataDir, "rtc1"));
    writeFileSync(path.join(dataDir, "rtc1", "hctosys"), "0\n");
    expect(hasBatteryTime(dataDir)).toBe(false);
    writeFileSync(path.join(dataDir, "rtc1", "hctosys"), "1\n");
    expect(hasBatteryTime(dataDir)).toBe(true);
  });
});
