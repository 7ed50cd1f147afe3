import { readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Disk } from "../../../src/archive/disk/disk.js";
import { SegmentReads } from "../../../src/archive/disk/segment-reads.js";
import type { ReaderRequest } from "../../../src/archive/disk/volume-messages.js";
import { REAL_DISK } from "../../support/archive/volume-threads.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

/** Each that concerns the directory. */
type DirectoryRequest = Exclude<ReaderRequest, { op: "identify" | "read" | "close-segment" }>;

const SEGMENT = "open/0000000000000a.seg";
const memory = new SharedArrayBuffer(64);
const REQUESTS: { readonly [Op in DirectoryRequest["op"]]: Extract<DirectoryRequest, { op: Op }> } = {
  "open-segment": { op: "open-segment", handle: 1, paths: [SEGMENT] },
  recover: { op: "recover", path: SEGMENT, toUsMax: 1 },
  "list-days": { op: "list-days" },
  "list-day": { op: "list-day", path: "streams/a/b/2026-11-29" },
  "list-open": { op: "list-open" },
  summaries: { op: "summaries", files: [[SEGMENT]], deep: false, fromFrames: false },
  "close-again": { op: "close-again", paths: [SEGMENT], durationUs: undefined },
  header: { op: "header", paths: [SEGMENT] },
  unlink: { op: "unlink", paths: [SEGMENT] },
  "read-piece": { op: "read-piece", paths: [SEGMENT], position: 0, memory },
  "write-piece": { op: "write-piece", path: "open/a.copy", position: 0, memory, bytes: 64 },
  "place-copy": { op: "place-copy", from: "open/a.copy", to: "streams/a/b/a.seg" },
  "list-copies": { op: "list-copies" },
  "read-note": { op: "read-note", name: "note.json" },
  "replace-note": { op: "replace-note", name: "note.json", text: "{}" },
  "list-side-files": { op: "list-side-files", path: "findings" },
  "append-side-file": {
    op: "append-side-file",
    path: "findings/a/b",
    position: 0,
    bytes: new Uint8Array(1),
  },
  space: { op: "space" },
};

const VOLUME_ID = "0d5ab0c2-94a8-4c3e-8a2f-2f6d8f0f9a11";
const OTHER_ID = "0d5ab0c2-94a8-4c3e-8a2f-2f6d8f0f9a12";

let directory: TemporaryDirectory;
let device: number;
let identityMs: number;
let reads: SegmentReads;

beforeEach(() => {
  directory = new TemporaryDirectory("other-device");
  device = statSync(directory.path).dev;
  identityMs = 1.5;
  const disk: Disk = {
    ...REAL_DISK,
    statSync: ((path: string) =>
      Object.assign(statSync(path), { dev: device, mtimeMs: identityMs })) as Disk["statSync"],
  };
  reads = new SegmentReads(disk, directory.path);
  reads.handle({
    op: "identify",
    request: {
      knownId: undefined,
      freshId: VOLUME_ID,
      ownIds: [],
      takesUnknown: true,
      mustBeMounted: false,
      wasMounted: false,
      probes: false,
      nowUs: 0,
    },
  });
});

afterEach(() => directory.remove());

it.each(Object.values(REQUESTS))("$op finds and puts nothing where the disk is another", (request) => {
  const before = readdirSync(directory.path, { recursive: true });
  device += 1;
  expectRefused(request, before);
});

it.each(Object.values(REQUESTS))(
  "$op finds and puts nothing on another disk that has the same device number now",
  (request) => {
    const before = readdirSync(directory.path, { recursive: true });
    identityMs += 0.001;
    const text = readFileSync(directory.join("volume.json"), "utf8");
    writeFileSync(directory.join("volume.json"), text.replace(VOLUME_ID, OTHER_ID));
    expectRefused(request, before);
  },
);

it("a volume whose identity file was touched or put back is the same", () => {
  identityMs += 1000;
  expect(reads.handle({ op: "space" })).toBeDefined();
  identityMs += 1000;
  expect(reads.handle({ op: "space" })).toBeDefined();
});

it("a volume whose identity file is gone is another one", () => {
  unlinkSync(directory.join("volume.json"));
  expectRefused({ op: "space" }, readdirSync(directory.path, { recursive: true }));
});

function expectRefused(request: ReaderRequest, before: readonly unknown[]): void {
  expect(() => reads.handle(request)).toThrow(expect.objectContaining({ code: "VOLUME_GONE" }));
  expect(readdirSync(directory.path, { recursive: true })).toEqual(before);
}
