import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BOOT_TIMES_FILE, type BootTime, bootTimesText, parseBootTimes } from "../../src/archive/index.js";
import { restoreBucket } from "../../src/away/index.js";
import { type Guid, SystemClock } from "../../src/base/index.js";
import { MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { AwayBox } from "../support/away/away-box.js";
import { s3Target } from "../support/away/away-samples.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

let box: AwayBox;

beforeEach(async () => {
  box = await AwayBox.start();
  box.record({ fromUs: START_US });
});
afterEach(() => box.stop());

function boot(number: number): BootTime {
  const bootId: Guid = `99999999-0000-4000-8000-${String(number).padStart(12, "0")}`;
  return { bootId, offsetUs: number, shiftUs: 7, epochShift: 1, fromUs: 1, toUs: 2, pending: false };
}
const tables = () => [...box.store.objects.keys()].filter((key) => key.startsWith("box/boots/"));
const bootTimes = () => [...parseBootTimes(box.store.objects.get(tables()[0] ?? "")?.toString()).values()];
const puts = (folder: string) =>
  box.store.asked.findIndex(({ method, key }) => method === "PUT" && key.startsWith(`box/${folder}/`));

async function restored(directory: string): Promise<readonly BootTime[]> {
  const target = s3Target({ endpoint: `http://127.0.0.1:${box.store.port}` });
  const { volumes, damaged } = await restoreBucket({ target, directory, clock: new SystemClock() });
  expect(damaged).toEqual([]);
  const text = readFileSync(path.join(volumes[0] ?? "", BOOT_TIMES_FILE), "utf8");
  return [...parseBootTimes(text).values()];
}

describe("the times of boots whose clock was set later", () => {
  it("lie in the bucket before a manifest is there, and come back onto new disks", async () => {
    box.boots.push(boot(1));
    box.run();
    await box.sentAll();
    expect(puts("boots")).toBeLessThan(puts("manifests"));
    expect(puts("boots")).toBeGreaterThan(-1);
    expect(await restored(await temporaryDirectory())).toEqual([boot(1)]);
  });

  it("are not sent where there are none, nor again where nothing is new", async () => {
    box.run();
    await box.sentAll();
    expect(puts("boots")).toBe(-1);
    box.boots.push(boot(1));
    for (const number of [1, 2]) {
      box.record({ fromUs: START_US + number * MINUTE_US });
      await box.sentAll();
    }
    await box.halt();
    box.run();
    box.record({ fromUs: START_US + 3 * MINUTE_US });
    await box.sentAll();
    expect(tables()).toEqual(["box/boots/0000000001.json"]);
  });

  it("are replaced by a new table, which keeps what only the bucket knows", async () => {
    box.boots.push(boot(1));
    box.run();
    await box.sentAll();
    await box.loseState();
    box.boots.splice(0, 1, boot(2));
    box.record({ fromUs: START_US + MINUTE_US });
    box.run();
    await box.sentAll();
    await expect.poll(tables).toEqual(["box/boots/0000000002.json"]);
    expect(bootTimes()).toEqual([boot(1), boot(2)]);
  });

  it("do not end a restore when they cannot be read: that is reported", async () => {
    box.run();
    await box.sentAll();
    box.store.objects.set("box/boots/0000000001.json", Buffer.from("{"));
    const target = s3Target({ endpoint: `http://127.0.0.1:${box.store.port}` });
    const directory = await temporaryDirectory();
    const report = await restoreBucket({ target, directory, clock: new SystemClock() });
    expect(report).toMatchObject({ segments: 1, damaged: ["boots/0000000001.json"] });
  });

  it("are added to those that a disk has already", async () => {
    const directory = await temporaryDirectory();
    box.boots.push(boot(1));
    box.run();
    await box.sentAll();
    await restored(directory);
    await box.halt();
    box.store.objects.set(
      tables()[0] ?? "",
      Buffer.from(bootTimesText(new Map([[boot(2).bootId, boot(2)]]))),
    );
    expect(await restored(directory)).toEqual([boot(1), boot(2)]);
  });
});
