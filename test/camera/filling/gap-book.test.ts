import { afterEach, expect, it } from "vitest";
import { GapBook, TRIES_MAX } from "../../../src/camera/filling/gap-book.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { silentLog } from "../../support/site/site-samples.js";

const CHANNEL = "22222222-0000-4000-8000-000000000001";
const MINUTE_US = 60_000_000;

const directories: TemporaryDirectory[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) directory.remove();
});

function newDirectory(): TemporaryDirectory {
  const directory = new TemporaryDirectory("gap-book");
  directories.push(directory);
  return directory;
}

function bookIn(directory: TemporaryDirectory, clock: SimulatedClock): GapBook {
  const book = new GapBook({ dataDir: directory.path, clock, log: silentLog });
  book.start();
  return book;
}

function gapOf(clock: SimulatedClock) {
  const toUs = clock.nowUs() - MINUTE_US;
  return { channelId: CHANNEL, fromUs: toUs - MINUTE_US, toUs };
}

const failure = { reason: "the camera kept only a part of this time", filledUs: 5, triesMax: TRIES_MAX };

it("a gap that cannot be filled is tried later and later, and given up with its reason", () => {
  const clock = new SimulatedClock();
  const book = bookIn(newDirectory(), clock);
  const gap = gapOf(clock);
  for (let tries = 1; tries < TRIES_MAX; tries += 1) {
    const entry = book.failed(gap, failure);
    expect(entry).toMatchObject({ state: "waiting", tries });
    expect(book.isDue(gap, clock.nowUs())).toBe(false);
    clock.advance(entry.nextUs - clock.nowUs());
    expect(book.isDue(gap, clock.nowUs())).toBe(true);
  }
  expect(book.failed(gap, failure)).toMatchObject({ state: "given-up", reason: failure.reason });
  expect(book.settled(CHANNEL)).toMatchObject([{ fromUs: gap.fromUs, toUs: gap.toUs }]);
});

it("tries count for what is left of a gap, too", () => {
  const clock = new SimulatedClock();
  const book = bookIn(newDirectory(), clock);
  const gap = gapOf(clock);
  book.failed(gap, failure);
  expect(book.failed({ ...gap, fromUs: gap.fromUs + 1000 }, failure)).toMatchObject({ tries: 2 });
  expect(book.of(CHANNEL)).toHaveLength(1);
});

it("what became of gaps outlives the service", async () => {
  const clock = new SimulatedClock();
  const directory = newDirectory();
  const book = bookIn(directory, clock);
  const gap = gapOf(clock);
  book.failed(gap, failure);
  book.filled({ ...gap, fromUs: gap.fromUs - 9 * MINUTE_US, toUs: gap.toUs - 9 * MINUTE_US }, 7);
  await book.stop();
  expect(bookIn(directory, clock).of(CHANNEL)).toEqual(book.of(CHANNEL));
});

it("a damaged file is as none", () => {
  const directory = newDirectory();
  directory.write({ "card-gaps.json": '{"format":1,"gaps":[{"channelId":7}]}' });
  expect(bookIn(directory, new SimulatedClock()).of(CHANNEL)).toEqual([]);
});

it("remembers a bounded number of gaps, the newest, and forgets those of channels that are gone", () => {
  const clock = new SimulatedClock();
  const book = bookIn(newDirectory(), clock);
  for (let at = 0; at < 300; at += 1)
    book.filled({ channelId: CHANNEL, fromUs: at * 10, toUs: at * 10 + 5 }, 5);
  expect(book.of(CHANNEL)).toHaveLength(256);
  expect(book.of(CHANNEL)[0]?.fromUs).toBe(440);
  book.retain(() => false, 0);
  expect(book.of(CHANNEL)).toEqual([]);
});
