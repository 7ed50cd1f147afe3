import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { LmdbSegmentIndex, type LmdbSegmentIndexOptions } from "../../../src/archive/index.js";
import { createLog, SystemClock } from "../../../src/base/index.js";

export const SILENT_LOG = createLog({ level: "silent" });
/** Commits happen when a test flushes. */
const NEVER_MS = 1_000_000_000;

/** A scratch directory for one test file. */
export function scratchDirectory(): { readonly path: string; remove(): void } {
  const directory = mkdtempSync(path.join(tmpdir(), "nvrd-index-"));
  return {
    path: directory,
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** An index that is open; stop it. */
export async function openIndex(
  directory: string,
  options: Partial<LmdbSegmentIndexOptions> = {},
): Promise<LmdbSegmentIndex> {
  const index = new LmdbSegmentIndex({
    directory,
    clock: new SystemClock(),
    log: SILENT_LOG,
    commitIntervalMs: NEVER_MS,
    ...options,
  });
  index.start();
  await index.ready();
  return index;
}

/** Makes the note of an orderly end that of another version, whose formats this one need not know. */
export function closedByAnotherVersion(directory: string): void {
  const file = path.join(directory, "closed");
  writeFileSync(file, readFileSync(file, "latin1").replace(/^\S+/, "0.0.0"));
}
