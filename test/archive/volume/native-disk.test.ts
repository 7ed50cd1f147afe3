import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadNativeDisk } from "../../../src/archive/disk/native-disk.js";
import { temporaryDirectory } from "../../support/archive/archive-fixture.js";

const { disk, missing } = loadNativeDisk();

it("is there", () => expect(missing).toBeUndefined());

it("reserves space without changing the length, and gives it back", () => {
  const directory = temporaryDirectory();
  const fd = openSync(join(directory.path, "file"), "w+");
  expect(disk.fallocate(fd, 0, 1 << 20)).toBe("");
  expect(fstatSync(fd).size).toBe(0);
  expect(fstatSync(fd).blocks * 512).toBeGreaterThanOrEqual(1 << 20);
  writeSync(fd, "some bytes", 0);
  expect(["", "ENOSYS", "ESPIPE"]).toContain(disk.startWriteback(fd, 0, 10));
  expect(disk.dontNeed(fd, 0, 10)).toBe("");
  expect(disk.willNeed(fd, 0, 10)).toBe("");
  ftruncateSync(fd, 10);
  expect(disk.punchHole(fd, 4096, 1 << 20)).toBe("");
  expect(fstatSync(fd).blocks * 512).toBeLessThan(1 << 16);
  closeSync(fd);
  directory.remove();
});

it("answers impossible arguments with an error name and never throws", () => {
  const call = disk.fallocate as (...args: unknown[]) => string;
  for (const args of [
    [],
    [1],
    ["1", 0, 1],
    [-1, 0, 1],
    [1, -5, 1],
    [1, 0, Number.NaN],
    [1, 0.5, 1],
    [1, 0, 2 ** 60],
  ]) {
    expect(call(...args)).toBe("EINVAL");
  }
  expect(disk.fallocate(987_654, 0, 4096)).toBe("EBADF");
});
