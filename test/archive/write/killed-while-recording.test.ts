import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  newStreamKey,
  startArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { archiveProblems, segmentsOnDisk } from "../../support/archive/archive-invariants.js";
import { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { printedRandom } from "../../support/base/seeded-random.js";

const random = printedRandom("killed-while-recording");

/** `npm run torture -- writer-kills` asks for more. */
const KILLS = Number(process.env.NVRD_TEST_WRITER_KILLS ?? 3);
const LOST_US_MAX = 2_000_000;
const STREAMS = 3;
/** Longer than what a segment begins with. */
const WRITTEN_BYTES_MIN = 4096;
const CHILD = fileURLToPath(new URL("../../support/archive/recording-child.mjs", import.meta.url));

const directory = forAllTests(() => temporaryDirectory());

/** How many segments of the volume have frames. */
function segmentsWithFrames(): number {
  const volume = join(directory.path, "volume");
  if (!existsSync(volume)) return 0;
  const sizes = readdirSync(volume, { recursive: true, encoding: "utf8" }).map((name) => {
    const entry = statSync(join(volume, name), { throwIfNoEntry: false });
    return entry?.isFile() === true ? entry.size : 0;
  });
  return sizes.filter((size) => size > WRITTEN_BYTES_MIN).length;
}

/** Records until killed; answers the times of the first frames and of the newest that had been appended. */
async function recordAndKill(
  channelIds: readonly string[],
  { afterMs, writesFirst }: { readonly afterMs: number; readonly writesFirst: boolean },
): Promise<{ firstUs: number; newestUs: number; stallUs: number }> {
  const before = segmentsWithFrames();
  const child = spawn(process.execPath, [CHILD, directory.path, ...channelIds], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (some: string) => {
    text = (text + some).slice(-1000);
  });
  await once(child.stdout, "data");
  // Frames are taken before the volume's threads have started: a kill before that finds nothing to leave behind.
  await until(() => existsSync(join(directory.path, "volume", "open")), "the volume to be made");
  const firstUs = Number(text.split(" ")[0]);
  if (writesFirst) await until(() => segmentsWithFrames() >= before + STREAMS, "frames to be written");
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  await once(child, "close");
  const [newestUs = 0, stallMs = 0] = text.split("\n").at(-2)?.split(" ").map(Number) ?? [];
  return { firstUs, newestUs, stallUs: stallMs * 1000 };
}

it(
  `holds its invariants after being killed ${KILLS} times at random moments`,
  async () => {
    const keys = Array.from({ length: STREAMS }, newStreamKey);
    const channelIds = keys.map((key) => key.channelId);
    const volumePath = join(directory.path, "volume");
    let fragments = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      // Two kills come when frames are on the disk, so that something is left to judge; the others at any moment.
      const writesFirst = kill === 0 || kill === KILLS - 1;
      const times = await recordAndKill(channelIds, { afterMs: random.next() * 700, writesFirst });
      const { firstUs, newestUs, stallUs } = times;
      const index = new MemorySegmentIndex(segmentsOnDisk([volumePath]).summaries);
      const { archive } = await startArchive(directory.path, { index });
      await archive.recovered();
      await archive.stop();
      expect(
        archiveProblems({ volumePaths: [volumePath], summaries: [...index.committed.values()] }),
      ).toEqual([]);
      expect(readdirSync(join(volumePath, "open"))).toEqual([]);
      for (const key of keys) {
        // A kill before the first write leaves nothing of a stream: what is newest then is of the run before.
        const keptUs = Math.max(firstUs, index.newest(key)?.toUs ?? firstUs);
        // What waited behind a write that a busy machine took its time for is lost with it.
        expect(newestUs - keptUs).toBeLessThan(LOST_US_MAX + stallUs);
      }
      fragments = Math.max(
        fragments,
        index.fragments(keys[0] ?? newStreamKey(), 0, Number.MAX_SAFE_INTEGER).length,
      );
    }
    expect(fragments).toBeGreaterThanOrEqual(Math.min(KILLS, 2));
  },
  120_000 + KILLS * 10_000,
);
