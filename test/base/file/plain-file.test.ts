import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  appendPlain,
  clearPlaceSync,
  keepBeside,
  NotAFile,
  readPlain,
  readPlainSync,
  replaceSmallFile,
  takePlace,
  writeAfresh,
  writePlainSync,
} from "../../../src/base/index.js";
import { ODD_FILES } from "../../support/base/odd-files.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

let file: string;

beforeEach(async () => {
  file = `${await temporaryDirectory()}/a`;
});

describe.each(Object.entries(ODD_FILES))("%s in the place of a file", (_kind, put) => {
  beforeEach(() => put(file));

  it("is not read and not added to", async () => {
    expect(() => readPlainSync(file, 10)).toThrow(NotAFile);
    await expect(readPlain(file, 10)).rejects.toThrow(NotAFile);
    await expect(appendPlain(file, "x")).rejects.toThrow(NotAFile);
  });

  it("is replaced, also under the name of what is unfinished", async () => {
    await put(`${file}.new`);
    await replaceSmallFile(file, "whole");
    expect(readFileSync(file, "utf8")).toBe("whole");
    await put(`${file}2`);
    writePlainSync(`${file}2`, "at once");
    expect(readPlainSync(`${file}2`, 10).toString()).toBe("at once");
  });

  it("is moved aside where it is in the way, and kept where it is damaged", async () => {
    expect(clearPlaceSync(file)).toBe(true);
    expect(readdirSync(path.dirname(file))).toEqual(["a.in-the-way"]);
    await put(file);
    await keepBeside(file, `${file}.damaged`);
    expect(readdirSync(path.dirname(file))).toContain("a.damaged");
  });
});

it("a file is read to its bound and not beyond, whatever it says of its length", async () => {
  writeFileSync(file, "x".repeat(100_000));
  expect([readPlainSync(file, 100_000).length, (await readPlain(file, 100_000)).length]).toEqual([
    100_000, 100_000,
  ]);
  expect(() => readPlainSync(file, 99_999)).toThrow(RangeError);
  await expect(readPlain(file, 99_999)).rejects.toThrow(RangeError);
  truncateSync(file, 2 ** 40);
  expect(() => readPlainSync(file, 10)).toThrow(RangeError);
  // Files of the kernel say that they are empty.
  expect(readPlainSync("/proc/self/status", 100_000).length).toBeGreaterThan(100);
});

it("a link to a file is the file, and stays when its place is cleared", () => {
  writeFileSync(`${file}.other`, "there");
  symlinkSync(`${file}.other`, file);
  expect(clearPlaceSync(file)).toBe(false);
  expect(readPlainSync(file, 10).toString()).toBe("there");
});

it("a file is written under another name, takes its place and is added to", async () => {
  await writeAfresh(`${file}.new`, "x", 0o600);
  await takePlace(`${file}.new`, file);
  await replaceSmallFile(file, "y", 0o644);
  await appendPlain(file, "z");
  expect(readFileSync(file, "utf8")).toBe("yz");
});
