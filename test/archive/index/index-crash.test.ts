import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkArchive, type LmdbSegmentIndex } from "../../../src/archive/index.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { startWriter, WRITER_KILLS } from "../../support/base/killed-writer.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { printedRandom } from "../../support/base/seeded-random.js";
import { LoopMount, loopMountMissing } from "../../support/disk/loop-mount.js";

const random = printedRandom("index-crash");

const scratch = scratchDirectory();
afterAll(() => scratch.remove());
const WRITER = "archive/index-writer.mjs";
const NEVER_MS = "1000000000";

/** Segment ids that the writer was told are durable; a line cut by the kill does not count. */
function durableIds(output: string): number[] {
  const whole = output.slice(0, output.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => /^\d/.test(line))
    .flatMap((line) => line.split(" ").map(Number));
}

/** Volumes that hold exactly what the index names: a check then compares fragments and totals with their segments. */
async function expectConsistent(index: LmdbSegmentIndex): Promise<Set<number>> {
  const segments = index.oldest(1_000_000);
  const volumes = index.store.volumeIds().map((id) => new MemoryVolume(id));
  for (const segment of segments) volumes.find(({ id }) => id === segment.volumeId)?.put(segment);
  await index.rebuilt(index.store.volumeIds()); // the volumes are made from the index: nothing is left to read into it
  const report = await checkArchive({ index, volumes, deep: false, rebuild: false, log: SILENT_LOG });
  expect(report.problems).toEqual([]);
  return new Set(segments.map(({ segmentId }) => segmentId));
}

test(
  "killed at any moment, the index loses nothing that was committed, and its tables agree",
  async () => {
    const directory = path.join(scratch.path, "killed");
    const durable: number[] = [];
    let step = 0;
    for (let kill = 0; kill < WRITER_KILLS; kill++) {
      const writer = startWriter(WRITER, [directory, String(step), "0", NEVER_MS]);
      await expect.poll(() => writer.output().length, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, random.next() * 100));
      writer.child.kill("SIGKILL");
      await writer.ended;
      durable.push(...durableIds(writer.output()));
      rmSync(path.join(directory, "unclean-opens"), { force: true });
      const index = await openIndex(directory);
      const found = await expectConsistent(index);
      expect(durable.filter((id) => !found.has(id))).toEqual([]);
      step = Math.ceil(found.size / 8) + 1;
      await index.stop();
    }
  },
  120_000 + WRITER_KILLS * 10_000,
);

const missing = loopMountMissing("tmpfs");
let mount: LoopMount | undefined;

afterAll(() => mount?.remove());

test.skipIf(missing !== undefined)(
  `on a full disk the service goes on, and commits what waited when there is room${notHere(missing)}`,
  async () => {
    mount = LoopMount.mount("tmpfs", scratch.path, 3 * 1024 * 1024);
    const tmpfs = mount.mountPoint;
    const filler = path.join(tmpfs, "filler");
    writeFileSync(filler, Buffer.alloc(1_500_000));
    const writer = startWriter(WRITER, [path.join(tmpfs, "index"), "0", "400", "200"]);
    await expect.poll(() => writer.errors(), { timeout: PATIENCE_MS }).toContain("cannot commit");
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(writer.child.exitCode).toBeNull();
    rmSync(filler);
    execFileSync("mount", ["-o", "remount,size=40m", tmpfs]);
    expect(await writer.ended).toBe(0);
    expect(writer.output()).toContain("end ");
    expect(writer.errors().match(/cannot commit/g)).toHaveLength(1);
    expect(writer.errors()).toContain("commits again");
    const index = await openIndex(path.join(tmpfs, "index"), { reserveBytes: 0 });
    expect(await expectConsistent(index)).toHaveProperty("size", 3200);
    await index.stop();
  },
);
