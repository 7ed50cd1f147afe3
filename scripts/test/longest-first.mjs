/**
 * The order of the test files: first those with a process of their own, then those that share processes, because vitest
 * ends a shared process when the next file in line has its own, and the files after it load the same modules again. Of
 * each kind those that are known to take long start first, wherever they lie, so that none of them is left for the end,
 * when the other processors have nothing to do. The times of an earlier run of this checkout count; where there was
 * none, files that start the service or build something are taken for the longest.
 */
import { statSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";

/** Milliseconds for a file that has not run here yet, by its room; a file's size decides among those of a room. */
const GUESSED_MS = { systemd: 120_000, picture: 15_000, service: 30_000, tooling: 15_000 };
const GUESSED_MS_OTHERS = 3000;

/** What a file that has not run here yet is taken to need. */
export function guessedMs(file, bytes) {
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
