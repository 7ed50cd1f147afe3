import { describe, expect, it } from "vitest";
import type { Disk } from "../../../src/archive/disk/disk.js";
import { recoverSegment } from "../../../src/archive/disk/recovery.js";
import { SegmentReads } from "../../../src/archive/disk/segment-reads.js";
import { identifyVolume } from "../../../src/archive/disk/volume-identity.js";
import { newGuid } from "../../../src/base/index.js";
import { readWhole } from "../../support/archive/archive-invariants.js";
import { segmentBytes } from "../../support/archive/segment-bytes.js";
import {
  type FaultDisk,
  type FaultDiskOptions,
  loneDisk,
} from "../../support/archive/simulated/fault-disk.js";

/** Each seed is another way in which a power cut may end. */
const SEEDS = 40;
const LATE = { toUsMax: Number.MAX_SAFE_INTEGER };
const FRAMES = 20;
const PATH = "/disk/open/case.seg";

/** A disk with a segment that was written and not synced. */
function diskWith(seed: number, bytes: Buffer, options: Partial<FaultDiskOptions> = {}): FaultDisk {
  const made = loneDisk(seed, { order: seed % 2 === 0 ? "journal" : "loose", ...options });
  const { disk } = made;
  disk.mkdirSync("/disk/open");
  disk.mkdirSync("/disk/streams");
  const root = disk.openSync("/disk", "r");
  disk.fsyncSync(root);
  disk.closeSync(root);
  const fd = disk.openSync(PATH, "wx+");
  disk.writevSync(fd, [bytes], 0);
  disk.closeSync(fd);
  return made;
}

/** Frames of the segment, checked deeply. Throws when it is not whole. */
function framesIn(found: FaultDisk): number {
  return readWhole(new SegmentReads(found.disk, "/disk"), "open/case.seg").progress.videoFrames;
}

describe("a volume that is taken", () => {
  it("has its identity on the disk, also when the service that made it was killed just then", () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const made = loneDisk(seed, { order: seed % 2 === 0 ? "journal" : "loose" });
      const freshId = newGuid();
      const known = { knownId: undefined, freshId, ownIds: [], takesUnknown: false, nowUs: 0 };
      const request = { ...known, mustBeMounted: false, wasMounted: false, probes: true };
      let isRenamed = false;
      const killed: Disk = {
        ...made.disk,
        renameSync: (from, to) => {
          made.disk.renameSync(from, to);
          isRenamed = true;
        },
        openSync: (path, flags) => {
          if (isRenamed) throw new Error("killed");
          return made.disk.openSync(path, flags);
        },
      };
      expect(() => identifyVolume(killed, "/disk", request)).toThrow("killed");
      const found = identifyVolume(made.disk, "/disk", { ...request, knownId: freshId });
      expect(found.volumeId).toBe(freshId);
      expect(made.afterPowerCut().has("/disk/volume.json")).toBe(true);
    }
  });
});

describe("what recovery has answered", () => {
  it("is on the disk: of a segment that a killed service had closed and not synced", () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const made = diskWith(seed, segmentBytes(FRAMES).closed);
      expect(recoverSegment(made.disk, PATH, LATE).kind).toBe("closed");
      expect(framesIn(made.afterPowerCut())).toBe(FRAMES);
    }
  });

  it("is on the disk: of a segment that it has closed itself", () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const made = diskWith(seed, segmentBytes(FRAMES).open);
      expect(recoverSegment(made.disk, PATH, LATE).kind).toBe("recovered");
      expect(framesIn(made.afterPowerCut())).toBe(FRAMES);
    }
  });

  it("is on the disk: of a segment whose pages a failed sync has dropped", () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      let isBroken = true;
      const onCall: FaultDiskOptions["onCall"] = ({ name }) =>
        isBroken && name === "fdatasyncSync" ? { code: "EIO" } : undefined;
      const made = diskWith(seed, segmentBytes(FRAMES).open, { onCall });
      const fd = made.disk.openSync(PATH, "r+");
      expect(() => made.disk.fdatasyncSync(fd)).toThrow("EIO");
      made.disk.closeSync(fd);
      isBroken = false;
      const outcome = recoverSegment(made.disk, PATH, LATE);
      if (outcome.kind !== "recovered") continue; // nothing of it was left
      expect(framesIn(made.afterPowerCut())).toBe(outcome.progress.videoFrames);
    }
  });
});

describe("a footer that reached the disk before the frames it reports", () => {
  it("is not believed: the segment ends before the first frame that is not there", () => {
    const bytes = segmentBytes(FRAMES).closed;
    bytes.fill(0, 8192, 8192 + 512); // a sector of the sixth frame
    const made = diskWith(1, bytes);
    const outcome = recoverSegment(made.disk, PATH, LATE);
    expect(outcome.kind).toBe("recovered");
    expect(framesIn(made)).toBe(5);
  });
});

describe("a file that shows another segment's bytes after a power cut", () => {
  it("is not taken for that segment", () => {
    const { disk } = diskWith(1, segmentBytes(FRAMES).closed);
    disk.renameSync(PATH, "/disk/open/060dd710273a82.seg");
    expect(recoverSegment(disk, "/disk/open/060dd710273a82.seg", LATE).kind).toBe("removed");
  });
});

describe("a file that was unlinked", () => {
  it("does not come back with a power cut, and neither does its day", () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const made = diskWith(seed, segmentBytes(FRAMES).closed);
      made.disk.mkdirSync("/disk/streams/day");
      made.disk.renameSync(PATH, "/disk/streams/day/case.seg");
      const synced = made.disk.openSync("/disk/streams/day/case.seg", "r+");
      made.disk.fsyncSync(synced);
      new SegmentReads(made.disk, "/disk").handle({
        op: "unlink",
        paths: ["streams/day/case.seg", "open/case.seg", "streams/day/case.seg"],
      });
      const { disk } = made.afterPowerCut();
      expect(disk.readdirSync("/disk/streams")).toEqual([]);
      expect(disk.readdirSync("/disk/open")).toEqual([]);
    }
  });

  it("does not come back when it was gone before it was asked for", () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const made = diskWith(seed, segmentBytes(FRAMES).closed);
      const fd = made.disk.openSync("/disk/open", "r");
      made.disk.fsyncSync(fd);
      made.disk.unlinkSync(PATH);
      const paths = ["streams/day/case.seg", "open/case.seg", "streams/day/case.seg"];
      new SegmentReads(made.disk, "/disk").handle({ op: "unlink", paths });
      expect(made.afterPowerCut().disk.readdirSync("/disk/open")).toEqual([]);
    }
  });

  it("is gone when it was moved to its place while it was looked for", () => {
    const { disk } = diskWith(1, segmentBytes(FRAMES).closed);
    disk.mkdirSync("/disk/streams/day");
    const moving: Disk = {
      ...disk,
      unlinkSync: (path) => {
        if (path === PATH) disk.renameSync(PATH, "/disk/streams/day/case.seg");
        disk.unlinkSync(path);
      },
    };
    const paths = ["streams/day/case.seg", "open/case.seg", "streams/day/case.seg"];
    new SegmentReads(moving, "/disk").handle({ op: "unlink", paths });
    expect(disk.readdirSync("/disk/streams")).toEqual([]);
    expect(disk.readdirSync("/disk/open")).toEqual([]);
  });
});
