import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LmdbSegmentIndex } from "../../../src/archive/index.js";
import { openSegmentPath } from "../../../src/archive/segment/segment-summary.js";
import { type Guid, newGuid, SystemClock } from "../../../src/base/index.js";
import { ArchiveService } from "../../../src/service/part/record/archive-service.js";
import { loadSettings } from "../../../src/settings/settings.js";
import { newStreamKey, SILENT_LOG, temporaryDirectory } from "../../support/archive/archive-fixture.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";
import { segmentBytes } from "../../support/archive/segment-bytes.js";

const SEGMENTS = 24;
const FRAMES = 20;
const SEGMENTS_MAX = 1000;

/**
 * A power cut may leave a segment's footer without its middle. Recovery finds that out; a rebuild that reads the footer before
 * would put frames into the index that are not there.
 */
it("reads nothing into a lost index from open/ that recovery has not seen", async () => {
  const directory = temporaryDirectory();
  const dataDir = join(directory.path, "data");
  const settings = loadSettings({ flags: { data: dataDir }, environment: {} });
  const [volumePath = ""] = settings.volumes.map(({ path }) => path);
  const clock = new SystemClock();
  const open = () => new ArchiveService({ settings, clock, log: SILENT_LOG });
  const first = open();
  await first.start();
  const volumeId: Guid = first.archive.volumeAccess()[0]?.id ?? newGuid();
  await first.stop();
  for (let at = 0; at < SEGMENTS; at++) {
    const file = { segmentId: Date.now() * 1000 + at, volumeId };
    const bytes = segmentBytes(FRAMES, file).closed;
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(join(volumePath, openSegmentPath({ ...file, key: newStreamKey() })), bytes);
  }
  rmSync(join(dataDir, "index"), { recursive: true });
  const second = open();
  await second.start();
  await second.archive.recovered();
  await second.stop();
  const index = new LmdbSegmentIndex({ directory: join(dataDir, "index"), clock, log: SILENT_LOG });
  index.start();
  await index.ready();
  const summaries = index.oldest(SEGMENTS_MAX);
  await index.stop();
  expect(summaries).toHaveLength(SEGMENTS);
  expect(archiveProblems({ volumePaths: [volumePath], summaries })).toEqual([]);
  directory.remove();
});
