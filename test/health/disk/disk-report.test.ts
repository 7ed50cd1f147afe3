import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newGuid } from "../../../src/base/index.js";
import {
  askDisks,
  type BlockDisk,
  DISK_REPORT_BYTES_MAX,
  ReportSource,
  readBlockDisks,
  readDiskReport,
  Smartctl,
  SystemFiles,
  statesIn,
  writeDiskReport,
} from "../../../src/health/index.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { MachineFiles } from "../../support/health/machine-files.js";
import { ScriptedSmartctl } from "../../support/health/smartctl-output.js";

const MINUTE_MS = 60_000;
const BOOT_ID = newGuid();

let directory: string;
let file: string;
let clock: ManualClock;
let script: ScriptedSmartctl;
let files: SystemFiles;

beforeEach(async () => {
  directory = await temporaryDirectory();
  file = path.join(directory, "disks.json");
  clock = new ManualClock();
  clock.advance(24 * 60 * MINUTE_MS);
  const machine = new MachineFiles(path.join(directory, "machine"));
  machine.add({ name: "sda" });
  files = new SystemFiles(machine.root);
  script = new ScriptedSmartctl(path.join(directory, "bin"));
  script.prints("wd-purple-unreadable");
});

async function report(): Promise<void> {
  const smartctl = new Smartctl({ clock, isAsked: async () => false, path: script.path });
  const previous = await readDiskReport(file);
  await writeDiskReport(file, await askDisks({ files, smartctl, clock, bootId: BOOT_ID }, previous));
}

function source(bootId = BOOT_ID): ReportSource {
  return new ReportSource({ file, clock, bootId });
}

async function disk(): Promise<BlockDisk> {
  const [first] = await readBlockDisks(files);
  if (first === undefined) throw new Error("the machine has no disk");
  return first;
}

test("what one process reads of the disks, another one takes from the report", async () => {
  await report();
  const taken = source();
  await taken.refresh();
  expect(taken.problem).toBeUndefined();
  expect(taken.of(await disk())).toMatchObject({
    isAsleep: false,
    identity: { serial: "WD-WCC4E7654321" },
    reading: { pendingSectors: 24, selfTestFailed: true },
  });
});

test("a report reads as sentences for the disks' owner", async () => {
  await report();
  const read = await readDiskReport(file);
  expect(read && statesIn(read, clock).map(({ summary }) => summary)).toEqual([
    "Disk sda (WDC WD40PURX-64GVNY0, serial WD-WCC4E7654321): its last self-test found a fault, 24 sectors cannot be " +
      "read; replace it soon",
  ]);
});

test("a disk that was asked within the half hour is not asked again", async () => {
  await report();
  clock.advance(29 * MINUTE_MS);
  await report();
  expect(script.calls).toHaveLength(1);
  clock.advance(MINUTE_MS);
  await report();
  expect(script.calls).toHaveLength(2);
});

test("a disk that sleeps keeps what an earlier report says", async () => {
  await report();
  script.prints("standby");
  clock.advance(30 * MINUTE_MS);
  await report();
  const taken = source();
  await taken.refresh();
  expect(taken.of(await disk())).toMatchObject({ isAsleep: true, reading: { pendingSectors: 24 } });
});

test("another disk in the same place has nothing of the report", async () => {
  await report();
  const taken = source();
  await taken.refresh();
  expect(taken.of({ ...(await disk()), serial: "ANOTHER" })).toBeUndefined();
});

test("a missing report is reported, and what was known stays", async () => {
  const taken = source();
  await taken.refresh();
  expect(taken.problem).toBe(`there is no disk report ${file}: does nvrd-disks.timer run?`);
  await report();
  await taken.refresh();
  execFileSync("rm", [file]);
  await taken.refresh();
  expect(taken.problem).toContain("there is no disk report");
  expect(taken.of(await disk())).toBeDefined();
});

test("an old report is reported", async () => {
  await report();
  clock.advance(121 * MINUTE_MS);
  const taken = source();
  await taken.refresh();
  expect(taken.problem).toBe(`the disk report ${file} is 121 minutes old: does nvrd-disks.timer run?`);
});

test("a report from before the machine's start is not taken", async () => {
  await report();
  const taken = source(newGuid());
  await taken.refresh();
  expect(taken.problem).toBe(`the disk report ${file} is from before the machine's last start`);
  expect(taken.of(await disk())).toBeUndefined();
});

test.each([
  ["no JSON", "nonsense", "it is no JSON"],
  ["another format", '{"format": 2}', "format: "],
  [
    "disks that are none",
    '{"format":1,"bootId":"","writtenMs":0,"writtenMonotonicMs":0,"disks":[7]}',
    "disks.0",
  ],
  ["more than is taken", " ".repeat(DISK_REPORT_BYTES_MAX + 1), "it is longer than 1048576 bytes"],
])("a report that holds %s is reported", async (_, text, why) => {
  writeFileSync(file, text);
  const taken = source();
  await taken.refresh();
  expect(taken.problem).toContain(`the disk report ${file} cannot be used: ${why}`);
});

test("a report with too many disks is reported", async () => {
  await report();
  const whole = JSON.parse(readFileSync(file, "utf8")) as { disks: unknown[] };
  whole.disks = Array.from({ length: 129 }, () => whole.disks[0]);
  writeFileSync(file, JSON.stringify(whole));
  await expect(readDiskReport(file)).rejects.toThrow("disks");
});

test("a pipe or a directory in place of the report holds nobody up", async () => {
  execFileSync("mkfifo", [file]);
  await expect(readDiskReport(file)).rejects.toThrow("it is a named pipe, not a file");
  execFileSync("rm", [file]);
  mkdirSync(file);
  await expect(readDiskReport(file)).rejects.toThrow("cannot be used");
});

test("a link in place of the report is replaced, not followed", async () => {
  const victim = path.join(directory, "victim");
  writeFileSync(victim, "untouched");
  symlinkSync(victim, file);
  const smartctl = new Smartctl({ clock, isAsked: async () => false, path: script.path });
  await writeDiskReport(file, await askDisks({ files, smartctl, clock, bootId: BOOT_ID }, undefined));
  expect(readFileSync(victim, "utf8")).toBe("untouched");
  expect(await readDiskReport(file)).toBeDefined();
});

test("a report can be read by a service without rights, and nothing else is left behind", async () => {
  await report();
  expect(statSync(file).mode & 0o777).toBe(0o644);
  expect(readdirSync(directory).filter((name) => name.includes("disks"))).toEqual(["disks.json"]);
});

test("a disk that smartctl cannot read is in the report with the reason", async () => {
  script.prints("gone");
  await report();
  const read = await readDiskReport(file);
  expect(read?.disks).toMatchObject([{ problem: expect.stringContaining("No such device"), smart: null }]);
});
