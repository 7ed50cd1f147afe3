import { mkdirSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Disk } from "../../../src/archive/disk/disk.js";
import { SegmentReads } from "../../../src/archive/disk/segment-reads.js";
import { segmentBytes } from "../../support/archive/segment-bytes.js";
import { REAL_DISK } from "../../support/archive/volume-threads.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

let directory: TemporaryDirectory;

beforeEach(() => {
  directory = new TemporaryDirectory("segment-opening");
  mkdirSync(directory.join("open"));
  writeFileSync(directory.join("open/case.seg"), segmentBytes(100).closed);
});

afterEach(() => directory.remove());

it("a segment that is opened for a reader takes no more memory than its header needs", () => {
  let readBytes = 0;
  const counting: Disk = {
    ...REAL_DISK,
    readSync: ((fd: number, target: Uint8Array, offset: number, length: number, position: number) => {
      readBytes += length;
      return REAL_DISK.readSync(fd, target, offset, length, position);
    }) as Disk["readSync"],
  };
  const reads = new SegmentReads(counting, directory.path);
  reads.handle({ op: "open-segment", handle: 1, paths: ["open/case.seg"] });
  reads.handle({ op: "close-segment", handle: 1 });
  expect(readBytes).toBe(4096);
});
