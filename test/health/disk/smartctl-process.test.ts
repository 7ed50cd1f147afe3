import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { SMARTCTL_MS_MAX, Smartctl, type SmartQuestion } from "../../../src/health/disk/smartctl.js";
import { isAskedBySmartctl } from "../../../src/health/disk/smartctl-processes.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { ScriptedSmartctl } from "../../support/health/smartctl-output.js";

const SATA: SmartQuestion = { device: "/dev/sdz", kind: "ata", isRotational: true };
const USB: SmartQuestion = { device: "/dev/sdz", kind: "scsi", isRotational: true };

async function scripted(clock = new SystemClock() as SystemClock | ManualClock) {
  const script = new ScriptedSmartctl(await temporaryDirectory());
  const smartctl = new Smartctl({ clock, isAsked: async () => false, path: script.path });
  return { script, smartctl };
}

test("a disk is read", async () => {
  const { script, smartctl } = await scripted();
  script.prints("wd-purple-good");
  expect(await smartctl.ask(SATA)).toMatchObject({
    kind: "read",
    identity: { serial: "WD-WCC4E1234567" },
    reading: { passed: true, pendingSectors: 0 },
  });
});

test("a disk that may spin is asked so that it stays asleep, without probing", async () => {
  const { script, smartctl } = await scripted();
  script.prints("standby");
  expect(await smartctl.ask(SATA)).toEqual({ kind: "asleep" });
  expect(script.calls).toEqual(["--json=c -n standby,3 -a -d sat /dev/sdz"]);
});

test("a disk that sleeps by its words is asleep whatever the status", async () => {
  const { script, smartctl } = await scripted();
  script.does(
    `echo '{"smartctl":{"messages":[{"string":"Device is in STANDBY (OS) mode, exit(2)"}]}}'; exit 2`,
  );
  expect(await smartctl.ask(SATA)).toEqual({ kind: "asleep" });
});

test("a disk without moving parts is asked in any case", async () => {
  const { script, smartctl } = await scripted();
  script.prints("samsung-970-good");
  await smartctl.ask({ device: "/dev/nvme9n1", kind: "nvme", isRotational: false });
  expect(script.calls).toEqual(["--json=c -n never -a -d nvme /dev/nvme9n1"]);
});

test("behind an unknown USB bridge a second try finds the disk, and the next question begins with it", async () => {
  const { script, smartctl } = await scripted();
  const texts = new URL("smartctl/", import.meta.url).pathname;
  script.does(
    `case "$*" in *"-d sat"*) cat ${texts}usb-bridge-good.json; exit 0;; esac; cat ${texts}usb-bridge-unknown.json; exit 1`,
  );
  expect(await smartctl.ask(USB)).toMatchObject({ kind: "read", identity: { serial: "J8400012345678" } });
  await smartctl.ask(USB);
  expect(script.calls).toEqual([
    "--json=c -n standby,3 -a /dev/sdz",
    "--json=c -n standby,3 -a -d sat /dev/sdz",
    "--json=c -n standby,3 -a -d sat /dev/sdz",
  ]);
});

test("what smartctl says of a disk that it cannot read is reported", async () => {
  const { script, smartctl } = await scripted();
  script.prints("permission-denied");
  expect(await smartctl.ask(SATA)).toMatchObject({
    kind: "failed",
    reason:
      "the disk could not be opened or did not identify itself: Smartctl open device: /dev/sda failed: Permission denied",
  });
});

test("an exit status that says that the disk fails counts where its words are missing", async () => {
  const { script, smartctl } = await scripted();
  const text = new URL("smartctl/wd-purple-good.json", import.meta.url).pathname;
  script.does(`cat ${text}; exit 8`);
  expect(await smartctl.ask(SATA)).toMatchObject({ kind: "read", reading: { passed: false } });
});

test("bits of the exit status that report past errors do not stand in the way of reading", async () => {
  const { script, smartctl } = await scripted();
  script.prints("wd-purple-unreadable");
  expect(await smartctl.ask(SATA)).toMatchObject({ kind: "read", reading: { pendingSectors: 24 } });
});

test.each([
  ["no JSON", "echo nonsense; exit 0", "what smartctl printed is not understood (exit status 0)"],
  ["nothing", "exit 4", "what smartctl printed is not understood (exit status 4)"],
  [
    "half a JSON",
    `printf '{"smartctl": {'; exit 0`,
    "what smartctl printed is not understood (exit status 0)",
  ],
  [
    "the words of an old version",
    "echo '=======> UNRECOGNIZED OPTION: json=c'; exit 1",
    "smartctl is older than 7.0 and knows no --json: install smartmontools 7 or newer",
  ],
])("a smartctl that prints %s is reported", async (_, script_, reason) => {
  const { script, smartctl } = await scripted();
  script.does(script_);
  expect(await smartctl.ask(SATA)).toEqual({ kind: "failed", reason });
});

test("a smartctl that is not there is reported", async () => {
  const path = await temporaryDirectory();
  const smartctl = new Smartctl({ clock: new SystemClock(), isAsked: async () => false, path });
  expect(await smartctl.ask(SATA)).toMatchObject({
    kind: "failed",
    reason: "smartctl is not installed: install smartmontools",
  });
});

const noSmartctl = existsSync("/usr/sbin/smartctl") ? undefined : "smartmontools is not installed";
test.skipIf(noSmartctl !== undefined)(`the real smartctl is understood${notHere(noSmartctl)}`, async () => {
  const smartctl = new Smartctl({ clock: new SystemClock(), isAsked: async () => false });
  expect(await smartctl.ask({ ...SATA, device: "/dev/no-such-disk" })).toMatchObject({
    kind: "failed",
    reason: expect.stringMatching(/could not be opened.*No such (?:file|device)/),
  });
});

test("a hundred megabytes of output are not taken in", async () => {
  const { script, smartctl } = await scripted();
  script.does("exec head -c 100000000 /dev/zero");
  expect(await smartctl.ask(SATA)).toMatchObject({
    kind: "failed",
    reason: "smartctl printed more than 1048576 bytes",
  });
});

test("a smartctl that hangs is given up, and killed", { timeout: 2 * PATIENCE_MS }, async () => {
  const clock = new ManualClock();
  const { script, smartctl } = await scripted(clock);
  const pidFile = `${script.directory}/pid`;
  script.does(`echo $$ > ${pidFile}; exec sleep 1000`);
  const asked = smartctl.ask(SATA);
  await expect
    .poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8"), { timeout: PATIENCE_MS })
    .toMatch(/\d\n/);
  clock.advance(SMARTCTL_MS_MAX);
  expect(await asked).toMatchObject({
    kind: "failed",
    reason: "smartctl did not answer within 60 s: does the disk hang?",
  });
  const pid = Number(readFileSync(pidFile, "utf8"));
  const isAlive = () => existsSync(`/proc/${pid}`);
  await expect.poll(isAlive, { timeout: PATIENCE_MS }).toBe(false);
});

test("a disk is not asked again while a smartctl that hung waits for it", {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const clock = new ManualClock();
  const { script, smartctl } = await scripted(clock);
  script.does("exec sleep 1000");
  const asked = smartctl.ask(SATA);
  await expect.poll(() => script.calls.length, { timeout: PATIENCE_MS }).toBe(1);
  expect(await smartctl.ask(SATA)).toEqual({ kind: "busy" });
  clock.advance(SMARTCTL_MS_MAX);
  await asked;
  expect(script.calls).toHaveLength(1);
});

test("a disk that a smartctl of somebody else asks is left alone", { timeout: 2 * PATIENCE_MS }, async () => {
  const script = new ScriptedSmartctl(await temporaryDirectory());
  // The script's own name is what /proc shows; it must not become another program.
  script.does("while :; do sleep 1; done");
  const other = spawn(`${script.directory}/smartctl`, ["-t", "long", "/dev/sdz-of-a-test"], {
    stdio: "ignore",
  });
  try {
    await expect
      .poll(() => isAskedBySmartctl("/dev/sdz-of-a-test"), { timeout: PATIENCE_MS, interval: 50 })
      .toBe(true);
    expect(await isAskedBySmartctl("/dev/sdz-of-another-test")).toBe(false);
  } finally {
    other.kill("SIGKILL");
    await once(other, "exit");
  }
  expect(await isAskedBySmartctl("/dev/sdz-of-a-test")).toBe(false);
});

test("a /proc that shows nothing stands in nobody's way", async () => {
  const directory = await temporaryDirectory();
  writeFileSync(`${directory}/1`, "no directory");
  expect(await isAskedBySmartctl("/dev/sda", directory)).toBe(false);
});
