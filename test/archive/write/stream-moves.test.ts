import { expect, it } from "vitest";
import {
  append,
  newStreamKey,
  patternBytes,
  startArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";
import { forEachTest } from "../../support/base/for-tests.js";

const GOP_FRAMES = 5;
const FRAME_US = 40_000;
/** The frame before each key frame comes late, the key frame itself in time: a camera's clock is not even. */
const LATE_US = 25_000;

const directory = forEachTest(() => temporaryDirectory());

it("a stream that moves to another volume stays in its epoch, however uneven its frames come", async () => {
  const paths = ["a", "b"].map((name) => `${directory.path}/${name}`);
  const { archive, index } = await startArchive(directory.path, { volumes: paths.map((path) => ({ path })) });
  const key = newStreamKey();
  const startUs = Date.now() * 1000;
  const recorded = () => index.fragments(key, 0, Number.MAX_SAFE_INTEGER);
  for (let gop = 0; gop < 4; gop++) {
    for (const volume of archive.volumeAccess()) volume.writer?.sendOneAway();
    for (let frame = 0; frame < GOP_FRAMES; frame++) {
      const at = gop * GOP_FRAMES + frame;
      const lateUs = frame === GOP_FRAMES - 1 ? LATE_US : 0;
      const decodeTimeUs = startUs + at * FRAME_US + lateUs;
      append(archive.writer(key), { decodeTimeUs, bytes: patternBytes(3000, at), key: frame === 0 });
    }
    await until(() => recorded().length === gop + 1, `fragment ${gop}`);
  }
  await archive.stop();
  const summaries = [...index.committed.values()];
  expect(summaries.map(({ epoch }) => epoch)).toEqual([0, 0, 0, 0]);
  expect(new Set(summaries.map(({ volumeId }) => volumeId)).size).toBe(2);
  expect(summaries.reduce((sum, { videoFrames }) => sum + videoFrames, 0)).toBe(4 * GOP_FRAMES);
  expect(archiveProblems({ volumePaths: paths, summaries })).toEqual([]);
});
