import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSegmentPath } from "../../../src/archive/segment/segment-summary.js";
import { newGuid } from "../../../src/base/index.js";
import { newStreamKey, startArchive, temporaryDirectory } from "../../support/archive/archive-fixture.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";
import { segmentBytes } from "../../support/archive/segment-bytes.js";

const FRAMES = 20;
const FRAME_US = 40_000;
const FROM_US = 1_704_067_200_000_000;

/**
 * Where sound begins, a segment ends just behind its last picture and the next one follows. A power cut may take its footer
 * and leave the next segment: how long the last picture seems to last is then too long.
 */
it("a segment recovered without its footer ends where the next one of its fragment begins", async () => {
  const directory = temporaryDirectory();
  const first = await startArchive(directory.path);
  const volumeId = first.archive.volumeAccess()[0]?.id ?? "";
  await first.archive.stop();
  const common = { volumeId, key: newStreamKey(), fragmentId: newGuid(), bootId: newGuid() };
  const lastUs = FROM_US + (FRAMES - 1) * FRAME_US;
  for (const at of [0, 1, 2]) {
    const fromUs = at === 0 ? FROM_US : lastUs + 1 + (at - 1) * ((FRAMES - 1) * FRAME_US + 1);
    const fields = { ...common, segmentId: FROM_US + at, fragmentSequence: at, fromUs };
    writeFileSync(join(first.volumePath, openSegmentPath(fields)), segmentBytes(FRAMES, fields).open);
  }
  const { archive, index, volumePath } = await startArchive(directory.path, { index: first.index });
  await archive.recovered();
  await archive.stop();
  const summaries = [...index.committed.values()];
  expect(summaries).toHaveLength(3);
  expect(archiveProblems({ volumePaths: [volumePath], summaries })).toEqual([]);
  directory.remove();
});
