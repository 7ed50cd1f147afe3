import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { BlockCache } from "../../../src/away/send/block-cache.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const BLOCK_BYTES = 1000;
const block = (number: number) => new Uint8Array(BLOCK_BYTES).fill(number);
const name = (number: number) => `${String(number).padStart(14, "0")}-0-1000`;

let directory: string;

beforeEach(async () => {
  directory = path.join(await temporaryDirectory(), "blocks");
});

const cacheOf = (blocks: number) => new BlockCache({ directory, bytesMax: blocks * (BLOCK_BYTES + 4) });

it("keeps blocks over a restart", () => {
  cacheOf(3).put(name(1), block(1));
  expect(cacheOf(3).get(name(1))).toEqual(Buffer.from(block(1)));
  expect(cacheOf(3).get(name(2))).toBeUndefined();
});

it("gives up what was used longest ago", () => {
  const cache = cacheOf(3);
  for (const number of [1, 2, 3]) cache.put(name(number), block(number));
  cache.get(name(1));
  cache.put(name(4), block(4));
  expect(readdirSync(directory).sort()).toEqual([name(1), name(3), name(4)]);
  expect(cacheOf(2).get(name(1))).toBeDefined();
});

it("has no block that a power cut tore", () => {
  const cache = cacheOf(3);
  cache.put(name(1), block(1));
  truncateSync(path.join(directory, name(1)), 500);
  expect(cache.get(name(1))).toBeUndefined();
  expect(readdirSync(directory)).toEqual([]);
});

it("is no error where the disk takes nothing", () => {
  writeFileSync(directory, "no directory");
  const cache = cacheOf(3);
  cache.put(name(1), block(1));
  expect(cache.get(name(1))).toBeUndefined();
});
