import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SegmentReads } from "../../../src/archive/disk/segment-reads.js";
import { REAL_DISK } from "../../support/archive/volume-threads.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const PATH = "findings/gate/day";

async function sideFiles() {
  const directory = await temporaryDirectory();
  const reads = new SegmentReads(REAL_DISK, directory);
  reads.handle({
    op: "identify",
    request: {
      ...{ knownId: undefined, freshId: "0d5ab0c2-94a8-4c3e-8a2f-2f6d8f0f9a11", ownIds: [], nowUs: 1 },
      ...{ takesUnknown: true, mustBeMounted: false, wasMounted: false, probes: false },
    },
  });
  const append = (position: number, text: string) =>
    reads.handle({ op: "append-side-file", path: PATH, position, bytes: Buffer.from(text) });
  const list = () => reads.handle({ op: "list-side-files", path: "findings" });
  return { reads, append, list, text: () => readFileSync(`${directory}/${PATH}`, "utf8"), directory };
}

it("files beside the segments grow at their end", async () => {
  const { append, list, text } = await sideFiles();
  expect(list()).toEqual([]);
  append(0, "one ");
  append(4, "two");
  expect(text()).toBe("one two");
  expect(list()).toEqual([{ path: PATH, bytes: 7 }]);
});

it("what lies behind the position is cut off", async () => {
  const { append, text } = await sideFiles();
  append(0, "one torn and long");
  append(4, "two");
  expect(text()).toBe("one two");
});

it("a file that is shorter than it was is not filled with zeros", async () => {
  const { append, text } = await sideFiles();
  append(0, "one");
  expect(() => append(10, "two")).toThrow(expect.objectContaining({ code: "SIDE_FILE_SHORT" }));
  expect(text()).toBe("one");
});

it("a file that is removed takes its empty directory along", async () => {
  const { reads, append, list, directory } = await sideFiles();
  append(0, "one");
  reads.handle({ op: "unlink", paths: [PATH] });
  expect(list()).toEqual([]);
  expect(readdirSync(`${directory}/findings`)).toEqual([]);
});
