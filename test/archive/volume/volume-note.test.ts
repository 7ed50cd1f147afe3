import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { NOTE_BYTES_MAX, readNote, replaceNote } from "../../../src/archive/disk/volume-note.js";
import { REAL_DISK } from "../../support/archive/volume-threads.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

it("a note is read as it was written last, in a folder of its own too", async () => {
  const directory = await temporaryDirectory();
  for (const name of ["list.json", "kept/list"]) {
    expect(readNote(REAL_DISK, `${directory}/${name}`)).toBeUndefined();
    replaceNote(REAL_DISK, `${directory}/${name}`, "one, and long");
    replaceNote(REAL_DISK, `${directory}/${name}`, "two");
    expect(readNote(REAL_DISK, `${directory}/${name}`)).toBe("two");
    expect(existsSync(`${directory}/${name}.new`)).toBe(false);
  }
});

it("a directory in a note's place is set aside", async () => {
  const directory = await temporaryDirectory();
  mkdirSync(`${directory}/list.json/within`, { recursive: true });
  replaceNote(REAL_DISK, `${directory}/list.json`, "one");
  expect(readFileSync(`${directory}/list.json`, "utf8")).toBe("one");
  expect(existsSync(`${directory}/list.json.in-the-way/within`)).toBe(true);
});

it("what is no note is an error, and not none", async () => {
  const directory = await temporaryDirectory();
  writeFileSync(`${directory}/long`, Buffer.alloc(NOTE_BYTES_MAX + 1));
  expect(() => readNote(REAL_DISK, `${directory}/long`)).toThrow(RangeError);
  expect(() => readNote(REAL_DISK, `${directory}/long/within`)).toThrow("ENOTDIR");
  expect(() => readNote(REAL_DISK, directory)).toThrow();
  writeFileSync(`${directory}/whole`, Buffer.alloc(NOTE_BYTES_MAX, 0x61));
  expect(readNote(REAL_DISK, `${directory}/whole`)).toHaveLength(NOTE_BYTES_MAX);
});
