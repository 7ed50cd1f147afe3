/**
 * The order of the test files: first those with a process of their own, then those that share processes, because vitest
 * ends a shared process when the next file in line has its own, and the files after it load the same modules again. Of
 * each kind those that are known to take long start first, wherever they lie, so that none of them is left for the end,
 * when the other processors have nothing to do, and that what mostly waits does so while others compute. The times of an
 * earlier run of this checkout count; where there was none, those of the files that are known to take long, and of a room.
 */
import { statSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";

/** Seconds that the longest files take on two processors, roughly: the order is all that matters. */
export const LONG_SECONDS = {
  "test/systemd/installed-service.test.ts": 135,
  "test/network/network-trials.test.ts": 130,
  "test/service/volume-faults.test.ts": 90,
  "test/service/pulled-disk.test.ts": 80,
  "test/service/hung-volume.test.ts": 75,
  "test/page/first-run.test.ts": 75,
  "test/page/playback/recordings-screen.test.ts": 70,
  "test/service/retention.test.ts": 70,
  "test/service/stop-failing-disks.test.ts": 60,
  "test/service/timeline.test.ts": 60,
  "test/service/system-disk-full.test.ts": 50,
  "test/page/settings/cameras.test.ts": 50,
  "test/network/network-page.test.ts": 50,
  "test/camera/discovery/discovery-lan.test.ts": 45,
  "test/api/video/video-slow-readers.test.ts": 45,
  "test/http/http-understood.test.ts": 45,
  "test/service/stream-faults.test.ts": 40,
  "test/mqtt/broker-faults.test.ts": 30,
};

/** Milliseconds for another file that has not run here yet, by its room; a file's size decides among those of a room. */
const GUESSED_MS = { service: 25_000, page: 15_000, picture: 15_000, tooling: 10_000 };
const GUESSED_MS_OTHERS = 3000;

/** What a file that has not run here yet is taken to need. */
export function guessedMs(file, bytes) {
  if (Object.hasOwn(LONG_SECONDS, file)) return LONG_SECONDS[file] * 1000;
  const room = file.split("/")[1] ?? "";
  return (GUESSED_MS[room] ?? GUESSED_MS_OTHERS) + bytes / 1000;
}

/** Files of a process of their own first, and those of each kind by their time. */
export function inOrder(files) {
  return [...files].sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || b.durationMs - a.durationMs);
}

export class LongestFirst extends BaseSequencer {
  async sort(specifications) {
    const { cache, config } = this.ctx;
    const durationMs = (specification) => {
      const file = relative(config.root, specification.moduleId);
      const known = cache.getFileTestResults(`${specification.project.name}:${file}`);
      return known?.duration ?? guessedMs(file, statSync(specification.moduleId).size);
    };
    return inOrder(
      specifications.map((specification) => ({
        specification,
        isOwn: specification.project.config.isolate,
        durationMs: durationMs(specification),
      })),
    ).map(({ specification }) => specification);
  }
}
