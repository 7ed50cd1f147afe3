import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StreamKey } from "../../../src/base/index.js";
import {
  AUDIO,
  append,
  newStreamKey,
  patternBytes,
  readFrames,
  SkippingClock,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
  VIDEO,
} from "../../support/archive/archive-fixture.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";

const FRAME_US = 40_000;

let test: TestArchive;
let directory: ReturnType<typeof temporaryDirectory>;
let key: StreamKey;
let startUs: number;

beforeEach(async () => {
  directory = temporaryDirectory();
  test = await startArchive(directory.path);
  key = newStreamKey();
  startUs = Date.now() * 1000;
});

afterEach(async () => {
  await test.archive.stop();
  expect(
    archiveProblems({ volumePaths: [test.volumePath], summaries: [...test.index.committed.values()] }),
  ).toEqual([]);
  directory.remove();
});

function record(fromUs: number, frames: number, more: { discontinuity?: boolean; gop?: number } = {}): void {
  const { discontinuity = false, gop = 10 } = more;
  for (let at = 0; at < frames; at++) {
    append(test.archive.writer(key), {
      decodeTimeUs: fromUs + at * FRAME_US,
      bytes: patternBytes(700, at),
      key: at % gop === 0,
      discontinuity: discontinuity && at === 0,
    });
  }
}

const fragments = () => test.archive.fragments(key, 0, Number.MAX_SAFE_INTEGER);

describe("fragments", () => {
  it("hold no empty segment when sound changes its format 1 µs before the picture does", async () => {
    const writer = test.archive.writer(key);
    const bytes = patternBytes(700, 1);
    append(writer, { decodeTimeUs: startUs, bytes, key: true });
    append(writer, { format: AUDIO, decodeTimeUs: startUs, bytes, key: true });
    append(writer, { format: { ...AUDIO, sampleRate: 16_000 }, decodeTimeUs: startUs, bytes, key: true });
    append(writer, { format: { ...VIDEO, width: 640 }, decodeTimeUs: startUs + 1, bytes, key: true });
    await writer.end();
    await until(() => fragments().length === 1, "the fragment");
    const reader = test.archive.read(key, { fromUs: 0 });
    expect(await readFrames(reader, 4)).toHaveLength(4);
    reader.close();
  });

  it("last from the first frame to the end of the last", async () => {
    record(startUs, 10);
    await test.archive.writer(key).end();
    expect(fragments()).toMatchObject([{ fromUs: startUs, toUs: startUs + 10 * FRAME_US }]);
    expect(test.archive.hasArchiveAt(key, startUs + 10 * FRAME_US - 1)).toBe(true);
    expect(test.archive.hasArchiveAt(key, startUs + 10 * FRAME_US)).toBe(false);
    expect(test.archive.nearestFrameUs(key, startUs + 5)).toBe(startUs);
  });

  it("show while they are recorded", async () => {
    record(startUs, 5);
    await until(
      () => fragments()[0]?.toUs === startUs + 5 * FRAME_US,
      "five frames",
      () => fragments()[0]?.toUs,
    );
  });

  it("end at a discontinuity, before the next one starts", async () => {
    record(startUs, 10);
    record(startUs + 9 * FRAME_US + 5000, 10, { discontinuity: true });
    await test.archive.writer(key).end();
    const [first, second] = fragments();
    expect(first?.toUs).toBe(startUs + 9 * FRAME_US + 5000);
    expect(second?.fromUs).toBe(first?.toUs);
  });

  it("end where frames stay away for long", async () => {
    record(startUs, 10);
    record(startUs + 120_000_000, 10);
    await test.archive.writer(key).end();
    expect(fragments()).toHaveLength(2);
  });

  it("open a new epoch when time steps back, so that none overlaps another in its epoch", async () => {
    record(startUs, 10);
    record(startUs - 3_600_000_000, 10, { discontinuity: true });
    record(startUs - 3_590_000_000, 10, { discontinuity: true });
    await test.archive.writer(key).end();
    expect(fragments()).toHaveLength(3);
    expect(test.index.oldest(10).map((segment) => segment.epoch)).toEqual([0, 1, 1]);
  });

  it("do not repeat frames when recording resumes with a GOP that was recorded", async () => {
    record(startUs, 25);
    await test.archive.writer(key).end();
    record(startUs + 20 * FRAME_US, 30);
    await test.archive.writer(key).end();
    const [first, second] = fragments();
    expect(first?.toUs).toBe(startUs + 25 * FRAME_US);
    expect(second?.fromUs).toBe(startUs + 30 * FRAME_US);
  });

  it("go on in a new epoch when the clock stands before the newest recording after a restart", async () => {
    record(startUs + 3_600_000_000, 10);
    await test.archive.writer(key).end();
    await test.archive.stop();
    test = await startArchive(directory.path, { index: test.index });
    record(startUs, 10);
    await test.archive.writer(key).end();
    expect(test.index.newest(key)).toMatchObject({ epoch: 1, fromUs: startUs });
  });

  it("end when no frame has come for a minute", async () => {
    await test.archive.stop();
    const clock = new SkippingClock();
    test = await startArchive(directory.path, { index: test.index, clock });
    record(startUs, 10);
    await until(() => test.index.newest(key)?.videoFrames === 10, "ten frames");
    expect(test.index.oldest(1)).toEqual([]);
    clock.skip(65);
    await until(() => test.index.oldest(1)[0]?.videoFrames === 10, "the segment to be closed");
  });

  it("end with the recording: end() resolves when the segment is in the index", async () => {
    record(startUs, 10);
    await test.archive.writer(key).end();
    expect(test.index.oldest(1)[0]?.videoFrames).toBe(10);
    await test.archive.writer(key).end();
  });
});
