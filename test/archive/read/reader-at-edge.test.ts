import { afterEach, beforeEach, expect, it } from "vitest";
import {
  append,
  newStreamKey,
  patternBytes,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";

const START_US = Date.UTC(2026, 10, 21, 9) * 1000;
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

it("a reader that ends at the edge resolves with nothing there instead of waiting, and closes itself", async () => {
  const key = newStreamKey();
  const writer = test.archive.writer(key);
  for (let index = 0; index < 10; index++) {
    const bytes = patternBytes(500, index);
    append(writer, { decodeTimeUs: START_US + index * 40_000, key: index === 0, bytes });
  }
  await until(() => test.archive.hasArchiveAt(key, START_US + 9 * 40_000), "ten frames");
  for (const state of ["open", "closed"]) {
    const reader = test.archive.read(key, { fromUs: START_US, videoOnly: true, endsAtEdge: true });
    let frames = 0;
    for (let some = await reader.next(); some.length > 0; some = await reader.next()) frames += some.length;
    expect([state, frames]).toEqual([state, 10]);
    expect(await reader.next()).toEqual([]);
    if (state === "open") await writer.end();
  }
});
