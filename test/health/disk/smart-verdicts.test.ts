import fc from "fast-check";
import { expect, test } from "vitest";
import { judge } from "../../../src/health/disk/disk-judgement.js";
import { identityOf, readingOf } from "../../../src/health/disk/smart-reading.js";
import { parseSmartctl } from "../../../src/health/disk/smartctl-output.js";
import { smartctlText } from "../../support/health/smartctl-output.js";

const READ_MS = 1_709_640_000_000;
/** TB a year, as makers rate disks for surveillance. */
const RATING = 180;

function read(name: string) {
  const output = parseSmartctl(smartctlText(name));
  if (output === undefined) throw new Error(`${name} is not understood`);
  const reading = readingOf(output, READ_MS);
  if (reading === undefined) throw new Error(`${name} has no figures`);
  return { identity: identityOf(output), reading };
}

/** Each disk, and what its owner is told is wrong with it; of a good one nothing. */
const DISKS: readonly (readonly [name: string, verdict: string, findings: readonly string[]])[] = [
  ["wd-purple-good", "good", []],
  ["wd-purple-unreadable", "failing", ["its last self-test found a fault", "24 sectors cannot be read"]],
  ["seagate-skyhawk-good", "good", []],
  [
    "seagate-skyhawk-failing",
    "failing",
    [
      "it says itself that it is failing",
      "it is past its maker's limit for Reallocated_Sector_Ct (5)",
      "its last self-test found a fault",
      "1232 sectors cannot be read",
      "39216 sectors had to be replaced by spare ones",
      "88 errors in its life could not be corrected",
    ],
  ],
  ["seagate-skyhawk-overworked", "worn", ["600 TB a year are written to it, which is made for 180"]],
  ["seagate-cable", "worn", ["412 commands ran out of time (look at its cable and its power supply first)"]],
  ["toshiba-s300-torn", "worn", ["8 sectors cannot be read"]],
  ["toshiba-s300-hot", "good", []],
  ["toshiba-s300-old", "worn", ["it has run for 7.5 years"]],
  ["samsung-870-evo-good", "good", []],
  [
    "samsung-870-evo-worn",
    "worn",
    ["97 % of its rated life is used", "277 TB a year are written to it, which is made for 180"],
  ],
  ["crucial-mx500-good", "good", []],
  ["intel-s3510-good", "good", []],
  ["unknown-ssd", "good", []],
  ["usb-bridge-good", "good", []],
  ["samsung-970-good", "good", []],
  [
    "samsung-970-spare-used-up",
    "failing",
    ["its spare blocks are used up", "214 errors in its life could not be corrected"],
  ],
  ["wd-sn530-nearly-worn", "worn", ["94 % of its rated life is used", "18 % of its spare blocks are left"]],
  ["wd-sn530-hot", "good", []],
  ["kingston-read-only", "failing", ["it can only be read from now on"]],
  ["intel-self-test-failed", "failing", ["its last self-test found a fault"]],
  ["sas-seagate-good", "good", []],
  [
    "sas-hgst-failing",
    "failing",
    [
      "it says itself that it is failing",
      "its last self-test found a fault",
      "612 sectors had to be replaced by spare ones",
      "41 errors in its life could not be corrected",
    ],
  ],
  ["sas-ssd-worn", "worn", ["92 % of its rated life is used"]],
  ["qemu-nvme-good", "good", []],
  ["qemu-nvme-unreliable", "failing", ["it has become unreliable"]],
  ["qemu-sata-good", "good", []],
];

test.each(DISKS)("%s is %s", (name, verdict, findings) => {
  expect(judge(read(name).reading, RATING)).toEqual({ verdict, findings });
});

test("a spinning disk tells its figures", () => {
  expect(read("wd-purple-unreadable")).toMatchObject({
    identity: {
      model: "WDC WD40PURX-64GVNY0",
      serial: "WD-WCC4E7654321",
      firmware: "80.00A80",
      bytes: 4_000_787_030_016,
      kind: "ata",
      isRotational: true,
    },
    reading: {
      readMs: READ_MS,
      passed: true,
      temperatureCelsius: 41,
      powerOnHours: 38_211,
      reallocatedSectors: 3,
      pendingSectors: 24,
      offlineUncorrectable: 17,
      uncorrectableErrors: null,
      percentageUsed: null,
    },
  });
});

test("an NVMe drive tells its figures", () => {
  expect(read("samsung-970-good")).toMatchObject({
    identity: { kind: "nvme", isRotational: null },
    reading: {
      bytesWritten: 20_000_000 * 512_000,
      percentageUsed: 2,
      availableSparePercent: 100,
      availableSpareThresholdPercent: 10,
      uncorrectableErrors: 0,
      selfTestFailed: false,
    },
  });
});

test("a SAS disk tells its figures", () => {
  expect(read("sas-seagate-good")).toMatchObject({
    identity: { model: "SEAGATE ST3000NM0023", kind: "scsi", firmware: "A058" },
    reading: { bytesWritten: 41_230_118_000_000, reallocatedSectors: 0, uncorrectableErrors: 0 },
  });
});

test("Seagate's three packed counters are distinguished", () => {
  expect(read("seagate-skyhawk-good").reading.commandTimeouts).toBe(2);
});

test.each([
  ["samsung-870-evo-good", 48_828_125_000 * 512],
  ["crucial-mx500-good", 41_015_625_000 * 512],
  ["intel-s3510-good", 2_097_152 * 32 * 2 ** 20],
  ["unknown-ssd", null],
])("what was written to %s is counted in its maker's unit", (name, bytes) => {
  expect(read(name).reading.bytesWritten).toBe(bytes);
});

test.each([
  ["samsung-870-evo-good", 4],
  ["crucial-mx500-good", 12],
  ["intel-s3510-good", 3],
  ["wd-purple-good", null],
])("%s tells how much of its life is used", (name, percent) => {
  expect(read(name).reading.percentageUsed).toBe(percent);
});

test("a count that rises and falls each hour is no unreadable sector", () => {
  expect(read("crucial-mx500-good").reading.pendingSectors).toBeNull();
});

test("what a member is not is as if it were missing", () => {
  const output = parseSmartctl(
    JSON.stringify({
      smartctl: { exit_status: "no", messages: [7, { string: "said" }] },
      device: { protocol: "ATA" },
      model_name: ["a"],
      serial_number: "x".repeat(10_000),
      temperature: { current: "hot" },
      power_on_time: { hours: -1 },
      ata_smart_attributes: {
        table: [null, { id: 5 }, { id: "5" }, { id: 197, name: "Current_Pending_Sector", raw: { value: 3 } }],
      },
    }),
  );
  expect(output).toBeDefined();
  if (output === undefined) return;
  expect(identityOf(output)).toMatchObject({ model: "", serial: "", bytes: null });
  expect(readingOf(output, 0)).toMatchObject({
    temperatureCelsius: null,
    powerOnHours: null,
    reallocatedSectors: null,
    pendingSectors: 3,
  });
});

test("a name with control characters is reported without them", () => {
  const output = parseSmartctl(
    JSON.stringify({ smartctl: {}, model_name: "WD\n\u001b[31m  Red", serial_number: " 1 " }),
  );
  expect(output && identityOf(output)).toMatchObject({ model: "WD [31m Red", serial: "1" });
});

test("whatever JSON smartctl prints, it is read without an error", () => {
  const base = JSON.parse(smartctlText("seagate-skyhawk-failing")) as Record<string, unknown>;
  const members = fc.constantFrom(...Object.keys(base));
  fc.assert(
    fc.property(fc.dictionary(members, fc.jsonValue()), (odd) => {
      const output = parseSmartctl(JSON.stringify({ ...base, ...odd }));
      const reading = output === undefined ? undefined : readingOf(output, 0);
      if (reading !== undefined) judge(reading, RATING);
    }),
    { numRuns: 300 },
  );
});
