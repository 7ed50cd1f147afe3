import { afterEach, expect, it } from "vitest";
import {
  append,
  newStreamKey,
  type ReadFrame,
  startArchive,
  type TestArchive,
  temporaryDirectory,
} from "../../support/archive/archive-fixture.js";

const SECOND_US = 1_000_000;
const START_US = 1_700_000_000 * SECOND_US;

const directories: { remove(): void }[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) directory.remove();
});

async function recorded(stepsS: readonly number[], discontinuityAt = -1): Promise<readonly ReadFrame[]> {
  const directory = temporaryDirectory();
  directories.push(directory);
  const { archive }: TestArchive = await startArchive(directory.path);
  const key = newStreamKey();
  const writer = archive.writer(key);
  let decodeTimeUs = START_US;
  for (const [index, stepS] of [0, ...stepsS].entries()) {
    decodeTimeUs += stepS * SECOND_US;
    const discontinuity = index === discontinuityAt;
    const isKey = index === 0 || discontinuity;
    append(writer, { decodeTimeUs, key: isKey, discontinuity, bytes: Buffer.from([index]) });
  }
  await writer.end();
  const reader = archive.read(key, { fromUs: 0, endsAtEdge: true });
  const frames: ReadFrame[] = [];
  for (let some = await reader.next(); some.length > 0; some = await reader.next())
    for (const frame of some) frames.push({ ...frame, bytes: Buffer.from(frame.bytes) });
  reader.close();
  await archive.stop();
  return frames;
}

it("pictures that are twelve seconds apart stay in one fragment, also those that begin none", async () => {
  const frames = await recorded([12, 12, 12]);
  expect(frames.map(({ bytes }) => bytes[0])).toEqual([0, 1, 2, 3]);
  expect(frames.map(({ startsFragment }) => startsFragment)).toEqual([true, false, false, false]);
});

it("a picture after twelve seconds in which others are missing begins a fragment", async () => {
  const frames = await recorded([1, 12, 1], 2);
  expect(frames.map(({ startsFragment }) => startsFragment)).toEqual([true, false, true, false]);
});
