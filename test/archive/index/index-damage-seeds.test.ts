import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LmdbSegmentIndex } from "../../../src/archive/index.js";
import { openIndex, scratchDirectory } from "../../support/archive/index-harness.js";
import { fragmentOf, streamOfNumber, volumeOfNumber } from "../../support/archive/segment-fixtures.js";
import { SeededRandom } from "../../support/base/seeded-random.js";

/** Damage at many places of the file: the process that opens the index lives, and the index says nothing that is wrong. */
const PAGE_BYTES = 4096;
/** Three are the least that damage one, two and three pages; `npm run torture -- index-damage` asks for more. */
const SEEDS = Number(process.env.NVRD_TEST_DAMAGE_SEEDS ?? 3);
const EARLIER = fragmentOf(150);
const LATER = fragmentOf(300).slice(150);
const scratch = scratchDirectory();
/** The index file after the earlier segments, and after the later ones. */
const older = path.join(scratch.path, "older.mdb");
const whole = path.join(scratch.path, "whole.mdb");
let cases = 0;

beforeAll(async () => {
  const directory = path.join(scratch.path, "made", "index");
  mkdirSync(path.dirname(directory));
  for (const [segments, copy] of [
    [EARLIER, older],
    [LATER, whole],
  ] as const) {
    const index = await openIndex(directory);
    for (const segment of segments) index.add(segment);
    await index.rebuilt([volumeOfNumber(1)]);
    await index.stop();
    copyFileSync(path.join(directory, "data.mdb"), copy);
  }
});
afterAll(() => scratch.remove());

/** Opens a copy that was harmed. It is made anew, or it holds every segment; there is nothing in between. */
async function expectSound(harm: (file: string) => void, intact: "may be" | "is not"): Promise<void> {
  cases += 1;
  const directory = path.join(scratch.path, `case-${cases}`, "index");
  mkdirSync(directory, { recursive: true });
  const file = path.join(directory, "data.mdb");
  copyFileSync(whole, file);
  harm(file);
  const index = await openIndex(directory);
  const kept = index.isWhole(volumeOfNumber(1));
  if (intact === "is not") expect(kept).toBe(false);
  expect(segmentsOf(index)).toBe(kept ? EARLIER.length + LATER.length : 0);
  index.add(fragmentOf(301).at(-1) ?? fail());
  await index.flush();
  await index.stop();
}

function fail(): never {
  throw new Error("no segment");
}

function segmentsOf(index: LmdbSegmentIndex): number {
  let count = 0;
  const key = streamOfNumber(1);
  let segment = index.following(key, { segmentId: 0, epoch: 0, fromUs: 0 });
  for (; segment !== undefined; segment = index.following(key, segment)) count += 1;
  return count;
}

function write(file: string, bytes: Uint8Array, position: number): void {
  const fd = openSync(file, "r+");
  writeSync(fd, bytes, 0, bytes.length, position);
  closeSync(fd);
}

function pageOf(random: SeededRandom, file: string): number {
  return random.below(statSync(file).size / PAGE_BYTES) * PAGE_BYTES;
}

test(
  "an index cut at any length is made anew",
  async () => {
    const size = statSync(whole).size;
    const random = new SeededRandom(1);
    const lengths = [1, 4095, PAGE_BYTES, 2 * PAGE_BYTES, 3 * PAGE_BYTES + 1, size - PAGE_BYTES, size - 1];
    for (const length of [...lengths, ...Array.from({ length: SEEDS }, () => random.below(size))]) {
      // The last pages of the file may be free ones: then nothing is lost with them.
      await expectSound((file) => truncateSync(file, length), length < size / 2 ? "is not" : "may be");
    }
  },
  120_000 + SEEDS * 10_000,
);

test(
  "an index with zeroed pages is made anew, or lost nothing",
  async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const random = new SeededRandom(seed);
      await expectSound((file) => {
        for (let at = 0; at <= seed % 3; at++) write(file, Buffer.alloc(PAGE_BYTES), pageOf(random, file));
      }, "may be");
    }
  },
  120_000 + SEEDS * 10_000,
);

test(
  "an index with random bytes in its pages is made anew, or lost nothing",
  async () => {
    for (let seed = 0; seed < 2 * SEEDS; seed++) {
      const random = new SeededRandom(100 + seed);
      await expectSound((file) => {
        const length = seed % 2 === 0 ? 16 : PAGE_BYTES;
        const bytes = Buffer.from(Array.from({ length }, () => random.below(256)));
        const inPage = length === PAGE_BYTES ? 0 : random.below(PAGE_BYTES - length);
        write(file, bytes, pageOf(random, file) + inPage);
      }, "may be");
    }
  },
  120_000 + SEEDS * 10_000,
);

test(
  "an index of which a part is from an older moment is made anew, or lost nothing",
  async () => {
    const old = readFileSync(older);
    for (let seed = 0; seed < SEEDS; seed++) {
      const random = new SeededRandom(200 + seed);
      await expectSound((file) => {
        const from = pageOf(random, older);
        const pages = 1 + random.below(16);
        write(file, old.subarray(from, from + pages * PAGE_BYTES), from);
      }, "may be");
    }
  },
  120_000 + SEEDS * 10_000,
);
