import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newStreamKey, startArchive, temporaryDirectory } from "../../support/archive/archive-fixture.js";
import { archiveProblems, segmentsOnDisk } from "../../support/archive/archive-invariants.js";
import { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { printedRandom } from "../../support/base/seeded-random.js";

const random = printedRandom("killed-while-recording");

const KILLS = 10;
const LOST_US_MAX = 2_000_000;
const CHILD = fileURLToPath(new URL("../../support/archive/recording-child.mjs", import.meta.url));

let directory: ReturnType<typeof temporaryDirectory>;

beforeAll(() => {
  directory = temporaryDirectory();
});

afterAll(() => directory.remove());

/** Records until killed; answers the times of the first frames and of the newest that had been appended. */
async function recordAndKill(
  channelIds: readonly string[],
  afterMs: number,
): Promise<{ firstUs: number; newestUs: number; stallUs: number }> {
  const child = spawn(process.execPath, [CHILD, directory.path, ...channelIds], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (some: string) => {
    text = (text + some).slice(-1000);
  });
  await once(child.stdout, "data");
  const firstUs = Number(text.split(" ")[0]);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  await once(child, "close");
  const [newestUs = 0, stallMs = 0] = text.split("\n").at(-2)?.split(" ").map(Number) ?? [];
  return { firstUs, newestUs, stallUs: stallMs * 1000 };
}

it(`holds its invariants after being killed ${KILLS} times at random moments`, async () => {
  const keys = [newStreamKey(), newStreamKey(), newStreamKey()];
  const channelIds = keys.map((key) => key.channelId);
  const volumePath = join(directory.path, "volume");
  let fragments = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const { firstUs, newestUs, stallUs } = await recordAndKill(channelIds, random.next() * 700);
    const index = new MemorySegmentIndex(segmentsOnDisk([volumePath]).summaries);
    const { archive } = await startArchive(directory.path, { index });
    await archive.recovered();
    await archive.stop();
    expect(archiveProblems({ volumePaths: [volumePath], summaries: [...index.committed.values()] })).toEqual(
      [],
    );
    expect(readdirSync(join(volumePath, "open"))).toEqual([]);
    for (const key of keys) {
      // A kill before the first write leaves nothing of a stream.
      // What waited behind a write that a busy machine took its time for is lost with it.
      expect(newestUs - (index.newest(key)?.toUs ?? firstUs)).toBeLessThan(LOST_US_MAX + stallUs);
    }
    fragments = Math.max(
      fragments,
      index.fragments(keys[0] ?? newStreamKey(), 0, Number.MAX_SAFE_INTEGER).length,
    );
  }
  expect(fragments).toBeGreaterThan(1);
});
