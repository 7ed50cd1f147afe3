import { afterEach, expect, it } from "vitest";
import { ArchiveSimulation } from "../../support/archive/archive-simulation.js";

const SECOND_US = 1_000_000;
/** Three streams with a segment each 3 s would need twice as many files. */
const RECORDED_US = 90 * SECOND_US;
const INODES = 60;
/** A GOP of 10 s, and a second until a new segment is tried. */
const BEHIND_US_MAX = 12 * SECOND_US;

let simulation: ArchiveSimulation | undefined;

afterEach(() => simulation?.remove());

async function recordOn(inodes: number): Promise<ArchiveSimulation> {
  const made = new ArchiveSimulation({ seed: 1, volumes: 1, quotaBytes: 2 ** 40, disk: { inodes } });
  simulation = made;
  await made.start();
  made.boot.retention.start();
  await made.record(RECORDED_US);
  return made;
}

it("a disk with few inodes is recorded to without end", async () => {
  const made = await recordOn(INODES);
  const { archive, index } = made.boot;
  const nowUs = made.nowUs;
  expect(index.removed.length).toBeGreaterThan(0);
  for (const { key } of made.cameras) {
    const newest = archive.fragments(key, 0, 2 ** 52).at(-1);
    expect(newest?.toUs).toBeGreaterThan(nowUs - BEHIND_US_MAX);
  }
  await made.stop();
  await made.start();
  await made.recover();
  expect(await made.problems()).toEqual([]);
});
