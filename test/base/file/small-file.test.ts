import { mkdirSync, writeFileSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { NotAFile, readSmallFileLater } from "../../../src/base/index.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

let file: string;

beforeEach(async () => {
  file = `${await temporaryDirectory()}/a`;
});

it("a small file that is not there is none", async () => {
  expect(await readSmallFileLater(file)).toBeUndefined();
});

it("what lies in the place of a small file is said with the file's name, as the same kind of error", async () => {
  mkdirSync(file);
  const error = await readSmallFileLater(file).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NotAFile);
  expect(String(error)).toContain(file);
});

it("a small file that is longer than allowed is named", async () => {
  writeFileSync(file, "xx");
  const error = await readSmallFileLater(file, 1).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RangeError);
  expect(String(error)).toContain(file);
});

it("an error that names the file already names it once", async () => {
  const within = `${file}/b`;
  writeFileSync(file, "x");
  const error = await readSmallFileLater(within).catch((thrown: unknown) => thrown);
  expect(String(error).split(within)).toHaveLength(2);
});
