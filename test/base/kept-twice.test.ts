import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readKeptTwice, replaceKeptTwice } from "../../src/base/index.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

const faults: string[] = [];
const read = (file: string): unknown =>
  readKeptTwice(
    file,
    (text) => JSON.parse(text),
    (where) => faults.push(path.basename(where)),
  );

describe("a file that is kept twice", () => {
  it("is read from its copy where the first is damaged, missing or cannot be read", async () => {
    const directory = await temporaryDirectory();
    for (const [name, damage] of [
      ["damaged", (file: string) => writeFileSync(file, "{")],
      ["empty", (file: string) => writeFileSync(file, "")],
    ] as const) {
      const file = path.join(directory, name);
      await replaceKeptTwice(file, '{"kept":true}');
      damage(file);
      expect(read(file)).toEqual({ kept: true });
    }
    expect(faults.splice(0)).toEqual(["damaged", "empty"]);
    const other = path.join(directory, "other");
    writeFileSync(`${other}.copy`, '{"kept":true}');
    expect(read(other)).toEqual({ kept: true });
    mkdirSync(path.join(directory, "folder"));
    writeFileSync(path.join(directory, "folder.copy"), '{"kept":true}');
    expect(read(path.join(directory, "folder"))).toEqual({ kept: true });
    expect(faults.splice(0)).toEqual(["folder"]);
  });

  it("is none where neither is there, and each that is damaged is told", async () => {
    const file = path.join(await temporaryDirectory(), "none");
    expect([read(file), faults]).toEqual([undefined, []]);
    for (const copy of [file, `${file}.copy`]) writeFileSync(copy, "{");
    expect([read(file), faults.splice(0)]).toEqual([undefined, ["none", "none.copy"]]);
  });
});
