import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { childDiskNames, DISK_NAMES_MS_MAX } from "../../../src/health/disk/disk-names.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

test("a volume behind a link is found where it lies, one that is away where its name says", async () => {
  const directory = await temporaryDirectory();
  mkdirSync(path.join(directory, "disk"));
  symlinkSync(path.join(directory, "disk"), path.join(directory, "video"));
  const away = path.join(directory, "away");
  const names = await childDiskNames(new SystemClock())([path.join(directory, "video"), away]);
  expect([...names.directories]).toEqual([
    [path.join(directory, "video"), path.join(directory, "disk")],
    [away, away],
  ]);
});

test("a child that hangs is given up, and no second one is started beside it", async () => {
  const clock = new ManualClock();
  const script = path.join(await temporaryDirectory(), "hangs.mjs");
  writeFileSync(script, "setInterval(() => undefined, 1000);");
  const ask = childDiskNames(clock, script);
  const asked = ask([]);
  await expect(ask([])).rejects.toThrow("still hangs");
  clock.advance(DISK_NAMES_MS_MAX);
  await expect(asked).rejects.toThrow("were not read within 20 s");
});

test.each([
  ["nothing", ""],
  ["no JSON", "process.stdout.write('nonsense')"],
  ["no names", "process.stdout.write('{}')"],
])("a child that prints %s is reported", async (_, code) => {
  const script = path.join(await temporaryDirectory(), "child.mjs");
  writeFileSync(script, code);
  await expect(childDiskNames(new SystemClock(), script)([])).rejects.toThrow(
    "were not read (exit status 0)",
  );
});

test("a child that prints without end is given up", { timeout: 2 * PATIENCE_MS }, async () => {
  const script = path.join(await temporaryDirectory(), "child.mjs");
  writeFileSync(script, "const more = () => process.stdout.write('x'.repeat(1e6), more); more();");
  await expect(childDiskNames(new SystemClock(), script)([])).rejects.toThrow("are too many");
});
