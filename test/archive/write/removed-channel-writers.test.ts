import { afterEach, beforeEach, expect, it } from "vitest";
import { type StreamKey, SystemClock } from "../../../src/base/index.js";
import {
  append,
  newStreamKey,
  patternBytes,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";

const FRAMES = 5;
const FRAME_US = 40_000;

let directory: ReturnType<typeof temporaryDirectory>;
let test: TestArchive;

beforeEach(async () => {
  directory = temporaryDirectory();
  test = await startArchive(directory.path);
});

afterEach(async () => {
  await test.archive.stop();
  directory.remove();
});

function record(key: StreamKey, startUs = Date.now() * 1000): void {
  for (let at = 0; at < FRAMES; at++) {
    const decodeTimeUs = startUs + at * FRAME_US;
    append(test.archive.writer(key), { decodeTimeUs, bytes: patternBytes(1000, at), key: at === 0 });
  }
}

const writing = (): StreamKey[] => test.archive.overload().streams.map(({ key }) => key);
const segmentsOf = ({ channelId }: StreamKey) =>
  [...test.index.committed.values()].filter(({ key }) => key.channelId === channelId);

it("leave the archive with their channel, once all they took is on the disk", async () => {
  const [kept, gone] = [newStreamKey(), newStreamKey()];
  record(kept);
  record(gone);
  const { archive, index } = test;
  archive.retainWriters((channelId) => channelId === kept.channelId);
  expect(writing()).toEqual([kept, gone]);
  await until(() => writing().length === 1, "the writer to go");
  expect(writing()).toEqual([kept]);
  await index.flush();
  expect(segmentsOf(gone).map(({ videoFrames }) => videoFrames)).toEqual([FRAMES]);
});

it("that hold nothing go at once", async () => {
  const gone = newStreamKey();
  test.archive.writer(gone);
  test.archive.retainWriters(() => false);
  await until(
    () => writing().length === 0,
    "the writer to go",
    () => writing().length,
  );
});

it("stay when the channel comes back meanwhile, and record on", async () => {
  const key = newStreamKey();
  const { archive, index } = test;
  const startUs = Date.now() * 1000;
  record(key, startUs);
  archive.retainWriters(() => false);
  const writer = archive.writer(key);
  await writer.end();
  record(key, startUs + FRAMES * FRAME_US);
  await until(() => writer.isWriting, "the writer to write");
  await writer.end();
  expect(writing()).toEqual([key]);
  await index.flush();
  expect(segmentsOf(key).reduce((sum, { videoFrames }) => sum + videoFrames, 0)).toBe(2 * FRAMES);
});

/** The machine's clock, set to another time by a test. */
class SetClock extends SystemClock {
  setUs = 0;

  override nowUs(): number {
    return super.nowUs() + this.setUs;
  }
}

it("what is being filled into a gap goes with its channel, also where the clock was set back", async () => {
  await test.archive.stop();
  const clock = new SetClock();
  test = await startArchive(directory.path, { clock });
  const { archive, index } = test;
  const key = newStreamKey();
  const nowUs = clock.nowUs();
  record(key, nowUs);
  await archive.writer(key).end();
  clock.setUs = -3_600_000_000;
  const filling = archive.gapWriter(key);
  const gapUs = nowUs - 60_000_000;
  append(filling, { decodeTimeUs: gapUs, bytes: patternBytes(1000, 1), key: true });
  await until(
    () => archive.fragments({ ...key, streamTypes: ["Main"] }, 0, nowUs).length > 0,
    "the gap's segment",
    () => archive.fragments({ ...key, streamTypes: ["Main"] }, 0, nowUs).length,
  );
  await archive.deleteChannel(key.channelId);
  await filling.end(nowUs);
  await index.flush();
  await until(
    () => segmentsOf(key).length === 0,
    "its recordings to go",
    () => segmentsOf(key).length,
  );
});
