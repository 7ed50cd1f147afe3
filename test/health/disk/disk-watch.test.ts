import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { identityOf, readingOf } from "../../../src/health/disk/smart-reading.js";
import type { SmartAnswer, SmartQuestion } from "../../../src/health/disk/smartctl.js";
import { parseSmartctl } from "../../../src/health/disk/smartctl-output.js";
import { CALM_US } from "../../../src/health/disk/steady-verdict.js";
import {
  AnnouncedDisks,
  type DiskChange,
  DiskWatch,
  diskErrors,
  FIRST_LOOK_MS,
  SmartRounds,
  SystemFiles,
  type WatchedVolume,
} from "../../../src/health/index.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { MachineFiles } from "../../support/health/machine-files.js";
import { smartctlText } from "../../support/health/smartctl-output.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SILENT = createLog({ level: "silent" });

/** Disks that answer what a test says. */
class ScriptedDisks {
  readonly answers = new Map<string, SmartAnswer>();
  readonly hanging = new Set<string>();
  readonly asked: { readonly device: string; readonly atMs: number }[] = [];
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  async ask({ device }: SmartQuestion): Promise<SmartAnswer> {
    this.asked.push({ device, atMs: this.#clock.monotonicUs() / 1000 });
    if (this.hanging.has(device)) return await new Promise(() => undefined);
    return this.answers.get(device) ?? { kind: "failed", reason: "it does not say" };
  }

  readonly forget = () => undefined;

  /** The disk says what the named output says. */
  says(device: string, name: string, change: Readonly<Record<string, unknown>> = {}): void {
    const output = parseSmartctl(smartctlText(name));
    if (output === undefined) throw new Error(`${name} is not understood`);
    const reading = readingOf(output, 0);
    const changed = reading === undefined ? undefined : { ...reading, ...change };
    this.answers.set(device, { kind: "read", identity: identityOf(output), reading: changed });
  }
}

let directory: TemporaryDirectory;
let shown: MachineFiles;
let clock: ManualClock;
let disks: ScriptedDisks;
let changes: DiskChange[];
let watch: DiskWatch;

beforeEach(() => {
  directory = new TemporaryDirectory("disk-watch");
  shown = new MachineFiles(directory.join("machine"));
  clock = new ManualClock();
  disks = new ScriptedDisks(clock);
  changes = [];
});

afterEach(async () => {
  await watch.stop();
  directory.remove();
});

function start(volumes: readonly WatchedVolume[] = []): void {
  watch = new DiskWatch({
    volumes,
    files: new SystemFiles(directory.join("machine")),
    names: async () => ({ directories: new Map(), devices: new Map() }),
    smart: new SmartRounds({ smartctl: disks, clock }),
    announced: new AnnouncedDisks(directory.path, SILENT),
    onChange: (change) => changes.push(change),
    clock,
    log: SILENT,
  });
  watch.start();
}

async function restart(): Promise<void> {
  await watch.stop();
  changes = [];
  start();
}

/** Lets time pass in steps of a minute, longer ones in longer steps; what a look reads and asks is waited for. */
async function pass(ms: number): Promise<void> {
  const stepMs = ms < HOUR_MS ? MINUTE_MS : ms < 12 * HOUR_MS ? 5 * MINUTE_MS : 15 * MINUTE_MS;
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    clock.advance(Math.min(stepMs, ms - passedMs));
    await watch.look();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const kinds = () => changes.map(({ kind }) => kind);
const first = () => watch.disks?.[0];

test("nothing is known before the first look", () => {
  start();
  expect([watch.disks, watch.problem]).toEqual([undefined, undefined]);
});

test("the first look comes by itself, soon after the start", async () => {
  shown.add({ name: "sda" });
  start();
  clock.advance(FIRST_LOOK_MS);
  await expect.poll(() => watch.disks?.length, { timeout: PATIENCE_MS }).toBe(1);
});

test("a disk is reported with what it says of itself and what lies on it", async () => {
  shown.add({ name: "sda", partitions: { sda1: "8:1" } });
  shown.mounts(["8:1 /srv ext4 /dev/sda1"]);
  disks.says("/dev/sda", "wd-purple-good");
  start([{ path: "/srv/video" }]);
  await pass(MINUTE_MS);
  expect(first()).toMatchObject({
    device: "/dev/sda",
    model: "WDC WD40PURX-64GVNY0",
    serial: "WD-WCC4E1234567",
    kind: "ata",
    isRotational: true,
    isAsleep: false,
    volumes: ["/srv/video"],
    verdict: "good",
    summary: "Disk sda (WDC WD40PURX-64GVNY0, serial WD-WCC4E1234567): good, 36 °C, in use for 2.4 years",
    smart: { temperatureCelsius: 36, powerOnHours: 21_034 },
  });
});

test("the very first look reports no disk as found", async () => {
  shown.add({ name: "sda" });
  disks.says("/dev/sda", "wd-purple-good");
  start();
  await pass(HOUR_MS);
  expect(kinds()).toEqual([]);
});

test("in two days each disk is asked each half hour, and no more often", async () => {
  shown.add({ name: "sda" });
  shown.add({ name: "sdb", number: "8:16" });
  disks.says("/dev/sda", "wd-purple-good");
  start();
  await pass(2 * DAY_MS);
  for (const device of ["/dev/sda", "/dev/sdb"]) {
    const times = disks.asked.filter((asked) => asked.device === device).map(({ atMs }) => atMs);
    expect(times.length).toBeGreaterThanOrEqual(94);
    const waits = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(30 * MINUTE_MS);
  }
});

test("a disk that starts to fail is reported once, in words that say which and what to do", async () => {
  shown.add({ name: "sda" });
  disks.says("/dev/sda", "wd-purple-good");
  start();
  await pass(HOUR_MS);
  disks.says("/dev/sda", "wd-purple-good", { pendingSectors: 24 });
  await pass(5 * HOUR_MS);
  expect(changes).toEqual([
    {
      kind: "failing",
      text: "Disk sda (WDC WD40PURX-64GVNY0, serial WD-WCC4E1234567): 24 sectors cannot be read; replace it soon",
    },
  ]);
});

test("sectors that come and go for days are reported once", async () => {
  shown.add({ name: "sda" });
  disks.says("/dev/sda", "wd-purple-good");
  start();
  for (let half = 0; half < 20; half += 1) {
    disks.says("/dev/sda", "wd-purple-good", { pendingSectors: half % 2 === 0 ? 16 : 0 });
    await pass(6 * HOUR_MS);
  }
  expect(kinds()).toEqual(["failing"]);
});

test("a disk that has been well for a day is told to be well", async () => {
  shown.add({ name: "sda" });
  disks.says("/dev/sda", "wd-purple-good", { pendingSectors: 16 });
  start();
  await pass(HOUR_MS);
  disks.says("/dev/sda", "wd-purple-good");
  await pass(CALM_US / 1000 - HOUR_MS);
  expect(first()?.summary).toContain(
    "16 sectors cannot be read (seen within the last day, better now); replace it soon",
  );
  await pass(2 * HOUR_MS);
  expect(kinds()).toEqual(["failing", "well"]);
  expect(first()?.verdict).toBe("good");
});

test("a worn disk that begins to fail is reported twice", async () => {
  shown.add({ name: "nvme0n1", number: "259:0" });
  disks.says("/dev/nvme0n1", "wd-sn530-nearly-worn");
  start();
  await pass(HOUR_MS);
  disks.says("/dev/nvme0n1", "samsung-970-spare-used-up");
  await pass(HOUR_MS);
  expect(kinds()).toEqual(["worn", "failing"]);
});

test("a drive that is written to beyond the rating of its volume is worn", async () => {
  shown.add({ name: "sda" });
  shown.mounts(["8:0 /srv ext4 /dev/sda"]);
  disks.says("/dev/sda", "seagate-skyhawk-overworked");
  start([{ path: "/srv", workloadTbPerYear: 180 }]);
  await pass(MINUTE_MS);
  expect(first()).toMatchObject({ verdict: "worn" });
});

test("heat that comes and goes by a degree is reported once, and that it is over", async () => {
  shown.add({ name: "sda" });
  start();
  for (const celsius of [59, 60, 59, 61, 56, 60, 54, 56]) {
    disks.says("/dev/sda", "wd-purple-good", { temperatureCelsius: celsius });
    await pass(HOUR_MS);
  }
  expect(kinds()).toEqual(["hot", "cool"]);
  expect(changes[0]?.text).toContain("it is too hot (60 °C): improve its cooling");
});

test("an NVMe drive that says that it is too hot is hot, and not failing", async () => {
  shown.add({ name: "nvme0n1", number: "259:0" });
  disks.says("/dev/nvme0n1", "wd-sn530-hot");
  start();
  await pass(HOUR_MS);
  expect(kinds()).toEqual(["hot"]);
  expect(first()?.verdict).toBe("good");
});

test("a disk that goes is reported when it stays away, and again when it is back", async () => {
  shown.add({ name: "sda" });
  disks.says("/dev/sda", "wd-purple-good");
  start();
  await pass(HOUR_MS);
  shown.remove("sda");
  await pass(MINUTE_MS);
  expect(kinds()).toEqual([]);
  await pass(MINUTE_MS);
  shown.add({ name: "sda" });
  await pass(2 * MINUTE_MS);
  expect(changes.map(({ kind, text }) => [kind, text])).toEqual([
    [
      "vanished",
      "Disk sda (WDC WD40PURX-64GVNY0, serial WD-WCC4E1234567) is gone: look at its cable and its power",
    ],
    ["appeared", expect.stringContaining("was found")],
  ]);
});

test("a disk that moves to another port is the same disk", async () => {
  shown.add({ name: "sda", serial: "ONE" });
  start();
  await pass(HOUR_MS);
  shown.remove("sda");
  shown.add({ name: "sdb", number: "8:16", serial: "ONE" });
  await pass(HOUR_MS);
  expect(kinds()).toEqual([]);
});

test("another disk in the same place begins anew", async () => {
  shown.add({ name: "sda", serial: "OLD" });
  disks.says("/dev/sda", "wd-purple-unreadable");
  start();
  await pass(HOUR_MS);
  shown.add({ name: "sda", serial: "NEW" });
  disks.says("/dev/sda", "wd-purple-good");
  await pass(HOUR_MS);
  expect(kinds()).toEqual(["failing", "appeared", "vanished"]);
  expect(first()).toMatchObject({ verdict: "good", serial: "WD-WCC4E1234567" });
});

test("a restart tells nothing twice", async () => {
  shown.add({ name: "sda" });
  disks.says("/dev/sda", "wd-purple-unreadable");
  start();
  await pass(HOUR_MS);
  await restart();
  await pass(HOUR_MS);
  expect(kinds()).toEqual([]);
  expect(first()?.verdict).toBe("failing");
});

test("what changed while the service did not run is reported", async () => {
  shown.add({ name: "sda", serial: "ONE" });
  shown.add({ name: "sdb", number: "8:16", serial: "TWO" });
  disks.says("/dev/sda", "wd-purple-good");
  disks.says("/dev/sdb", "wd-purple-good");
  start();
  await pass(HOUR_MS);
  shown.remove("sdb");
  disks.says("/dev/sda", "seagate-skyhawk-failing");
  await restart();
  await pass(HOUR_MS);
  expect(kinds().sort()).toEqual(["failing", "vanished"]);
});

test("a disk that falls asleep keeps what it said, for weeks", async () => {
  shown.add({ name: "sda" });
  disks.says("/dev/sda", "wd-purple-good");
  start();
  await pass(HOUR_MS);
  disks.answers.set("/dev/sda", { kind: "asleep" });
  await pass(3 * DAY_MS);
  expect(first()).toMatchObject({ isAsleep: true, verdict: "good", smart: { powerOnHours: 21_034 } });
  expect(kinds()).toEqual([]);
});

test("a disk that the kernel has put to sleep is not asked", async () => {
  shown.add({ name: "sda", isSuspended: true });
  start();
  await pass(HOUR_MS);
  expect(disks.asked).toEqual([]);
  expect(first()).toMatchObject({ isAsleep: true, verdict: "unknown" });
});

test("a disk that no longer answers is reported after a day, and when it answers again", async () => {
  shown.add({ name: "sda" });
  disks.says("/dev/sda", "wd-purple-good");
  start();
  await pass(HOUR_MS);
  disks.answers.set("/dev/sda", { kind: "failed", reason: "smartctl did not answer within 60 s" });
  await pass(DAY_MS - 2 * HOUR_MS);
  expect(kinds()).toEqual([]);
  expect(watch.problem).toBe("/dev/sda: smartctl did not answer within 60 s");
  await pass(3 * HOUR_MS);
  disks.says("/dev/sda", "wd-purple-good");
  await pass(HOUR_MS);
  expect(kinds()).toEqual(["silent", "well"]);
});

test("a failing disk that falls silent stays a failing one", async () => {
  shown.add({ name: "sda" });
  disks.says("/dev/sda", "wd-purple-unreadable");
  start();
  await pass(HOUR_MS);
  disks.answers.set("/dev/sda", { kind: "failed", reason: "it is dead" });
  await pass(2 * DAY_MS);
  expect(first()?.verdict).toBe("failing");
  expect(kinds()).toEqual(["failing"]);
});

test("a disk that hangs holds up no other and no look", async () => {
  shown.add({ name: "sda" });
  shown.add({ name: "sdb", number: "8:16" });
  disks.hanging.add("/dev/sda");
  disks.says("/dev/sdb", "seagate-skyhawk-good");
  start();
  await pass(2 * HOUR_MS);
  expect(watch.disks?.map(({ verdict }) => verdict)).toEqual(["unknown", "good"]);
  expect(disks.asked.filter(({ device }) => device === "/dev/sda")).toHaveLength(1);
});

test("a failing disk is an error, and one of the archive's disks when it is recorded onto", async () => {
  shown.add({ name: "sda" });
  shown.add({ name: "sdb", number: "8:16" });
  shown.mounts(["8:0 / ext4 /dev/sda", "8:16 /srv ext4 /dev/sdb"]);
  start([{ path: "/srv" }]);
  await pass(MINUTE_MS);
  expect(diskErrors(watch)).toEqual({ smart: null, drives: false });
  disks.says("/dev/sda", "wd-purple-good");
  disks.says("/dev/sdb", "wd-purple-good");
  await pass(HOUR_MS);
  expect(diskErrors(watch)).toEqual({ smart: false, drives: false });
  disks.says("/dev/sda", "wd-purple-unreadable");
  await pass(HOUR_MS);
  expect(diskErrors(watch)).toEqual({ smart: true, drives: false });
  disks.says("/dev/sdb", "wd-purple-unreadable");
  await pass(HOUR_MS);
  expect(diskErrors(watch)).toEqual({ smart: true, drives: true });
});

test("what was told and cannot be understood is reported anew", async () => {
  directory.write({ "disks.json": '{"format": 1, "disks": [{"key": 7}]}' });
  shown.add({ name: "sda" });
  disks.says("/dev/sda", "wd-purple-unreadable");
  start();
  await pass(HOUR_MS);
  expect(kinds()).toEqual(["failing"]);
});
