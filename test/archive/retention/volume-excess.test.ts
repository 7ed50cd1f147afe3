import { describe, expect, it } from "vitest";
import { VolumeGrowth } from "../../../src/archive/retention/volume-excess.js";
import {
  ALLOWED_BYTES_MIN,
  crowded,
  quotaLeft,
  roomBytes,
  tooSmall,
  type VolumeUse,
} from "../../../src/archive/segment/volume-room.js";

const MB = 1_000_000;

/** A volume of so many bytes, of which its recordings and other files take some. */
function volume(sizes: { total: number; recorded: number; others: number; reserve: number }) {
  const { total, recorded, others, reserve } = sizes;
  const freeBytes = total - recorded - others;
  return tooSmall({
    quota: { reserveBytes: reserve },
    usedBytes: recorded,
    space: { totalBytes: total, freeBytes },
  });
}

describe("a volume is too small", () => {
  it("where its reserve leaves next to nothing of the room that is there", () => {
    const found = volume({ total: 1000 * MB, recorded: 10 * MB, others: 100 * MB, reserve: 890 * MB });
    expect(found).toEqual({ reserveBytes: 890 * MB, roomBytes: 900 * MB });
  });

  it("where its reserve is as large as the whole disk, however tiny that is", () => {
    const found = volume({ total: 29 * MB, recorded: 1 * MB, others: 2 * MB, reserve: 29 * MB });
    expect(found).toEqual({ reserveBytes: 29 * MB, roomBytes: 27 * MB });
  });
});

describe("a volume is not too small", () => {
  it("where other files have filled the disk", () => {
    expect(
      volume({ total: 1000 * MB, recorded: 10 * MB, others: 980 * MB, reserve: 50 * MB }),
    ).toBeUndefined();
  });

  it("where the reserve leaves enough", () => {
    const reserve = 900 * MB - ALLOWED_BYTES_MIN;
    expect(volume({ total: 1000 * MB, recorded: 10 * MB, others: 100 * MB, reserve })).toBeUndefined();
  });
});

describe("what a volume may still take", () => {
  const space = { totalBytes: 1000 * MB, freeBytes: 500 * MB };
  const room = (use: Partial<VolumeUse>) => roomBytes({ quota: {}, usedBytes: 100 * MB, space, ...use });

  it.each<[string, Partial<VolumeUse>, number]>([
    ["is what is free", {}, 500],
    ["ends at the quota", { quota: { quotaBytes: 150 * MB } }, 50],
    ["leaves the reserve", { quota: { reserveBytes: 200 * MB } }, 300],
    ["is nothing beyond the quota", { quota: { quotaBytes: 60 * MB } }, 0],
    ["ends with the inodes", { segments: 1000, space: { ...space, files: { total: 4096, free: 612 } } }, 10],
  ])("%s", (_what, use, megabytes) => {
    expect(room(use)).toBe(megabytes * MB);
  });
});

describe("volumes on one file system", () => {
  const GB = 1000 * MB;
  const space = { totalBytes: 10 * GB, freeBytes: 3.5 * GB, files: { total: 65_536, free: 3024 } };
  const reserve = { reserveBytes: 0.5 * GB };
  const roomsOf = (volumes: readonly (Partial<VolumeUse> & { readonly isRetired?: boolean })[]): number[] => {
    const uses = volumes.map((use) => ({ quota: reserve, usedBytes: GB, space, ...use }));
    const asNeighbours = uses.map((use) => ({
      usedBytes: use.usedBytes,
      wantedBytes: use.isRetired === true ? 0 : quotaLeft(use),
    }));
    return uses.map((use, at) =>
      Math.round(roomBytes({ ...use, neighbours: asNeighbours.filter((_one, other) => other !== at) }) / MB),
    );
  };

  it("share what is free", () => {
    expect(roomsOf([{}, {}])).toEqual([1500, 1500]);
    expect(roomsOf([{}, {}, {}])).toEqual([1000, 1000, 1000]);
  });

  it("leave to the others what their quotas keep from them", () => {
    const [small, smaller] = [1.5, 1.1].map((gb) => ({ quota: { ...reserve, quotaBytes: gb * GB } }));
    expect(roomsOf([{ ...small }, {}])).toEqual([500, 2500]);
    expect(roomsOf([{ ...small }, { ...smaller }, {}])).toEqual([500, 100, 2400]);
    expect(roomsOf([{ quota: { ...reserve, quotaBytes: 9 * GB } }, {}])).toEqual([1500, 1500]);
  });

  it("leave everything to those that are recorded onto", () => {
    expect(roomsOf([{}, { isRetired: true }])[0]).toBe(3000);
  });

  it("share the inodes", () => {
    // 2000 files more than the reserve, of 1 MB each.
    expect(roomsOf([{ segments: 1000 }, { segments: 1000 }])).toEqual([1000, 1000]);
  });

  it("share what is lacking, so that it is not removed twice", () => {
    const lacking = { ...space, freeBytes: 0.3 * GB };
    const use: VolumeUse = { quota: reserve, usedBytes: GB, space: lacking };
    const neighbours = [{ usedBytes: GB, wantedBytes: quotaLeft(use) }];
    expect(new VolumeGrowth().excess({ ...use, neighbours }).bytes).toBe(100 * MB);
  });

  it("are neither too small nor crowded by each other's recordings", () => {
    const full = { totalBytes: 10 * GB, freeBytes: 0.5 * GB };
    const use: VolumeUse = { quota: reserve, usedBytes: 0, space: full };
    expect(crowded(use, GB)).toBeDefined();
    const neighbours = [{ usedBytes: 9 * GB, wantedBytes: Number.POSITIVE_INFINITY }];
    expect(tooSmall({ ...use, neighbours })).toBeUndefined();
    expect(crowded({ ...use, neighbours }, GB)).toBeUndefined();
  });
});

describe("a volume is crowded", () => {
  const DAY = 400 * MB;
  const use = (others: number, quota = {}): VolumeUse => ({
    quota,
    usedBytes: 10 * MB,
    space: { totalBytes: 1000 * MB, freeBytes: 990 * MB - others },
  });

  it("where other files leave less than a day of recording, or next to nothing", () => {
    expect(crowded(use(700 * MB), DAY)).toEqual({ otherBytes: 700 * MB, leftBytes: 300 * MB });
    expect(crowded(use(980 * MB), 0)).toEqual({ otherBytes: 980 * MB, leftBytes: 20 * MB });
  });

  it("not where they leave a day, where the quota is the reason, or where recordings have most of it", () => {
    expect(crowded(use(500 * MB), DAY)).toBeUndefined();
    expect(crowded(use(980 * MB, { quotaBytes: 10 * MB }), DAY)).toBeUndefined();
    expect(crowded(use(100 * MB), 5000 * MB)).toBeUndefined();
  });
});

describe("what retention frees", () => {
  const BIG = 1_000_000 * MB;
  const RESERVE = 1000 * MB;
  /** A volume whose other files leave 80 MB for recordings, and whose streams write 20 MB a turn, up to `usedBytes`. */
  const filled = (usedBytes: number, quota: VolumeUse["quota"]) => {
    const growth = new VolumeGrowth();
    const use = (bytes: number): VolumeUse => ({
      quota,
      usedBytes: bytes,
      space: { totalBytes: BIG, freeBytes: RESERVE + 80 * MB - bytes },
    });
    growth.excess(use(usedBytes - 20 * MB));
    growth.settle(usedBytes - 20 * MB);
    return growth.excess(use(usedBytes));
  };

  it("is what is beyond the one bound, with room for the next turn, whichever bound it is", () => {
    const byQuota = filled(80 * MB, { quotaBytes: 80 * MB });
    expect(byQuota).toEqual({ bytes: 30 * MB, wantedBytes: 30 * MB });
    // Of a large disk that other files fill, it is not a share of the disk: that would be all that is there.
    expect(filled(80 * MB, { reserveBytes: RESERVE })).toEqual(byQuota);
    expect(filled(80 * MB, { reserveBytes: RESERVE, quotaBytes: 900 * MB })).toEqual(byQuota);
  });

  it("is at most half of what recordings may hold, however fast they grow", () => {
    expect(filled(40 * MB, { quotaBytes: 20 * MB })).toEqual({ bytes: 30 * MB, wantedBytes: 30 * MB });
    expect(filled(100 * MB, { reserveBytes: RESERVE })).toEqual({ bytes: 50 * MB, wantedBytes: 50 * MB });
  });

  it("is what lies in the reserve as well, where nothing may be held any more", () => {
    const over = (quota: VolumeUse["quota"]) => filled(50 * MB, quota).bytes;
    expect(over({ reserveBytes: RESERVE + 200 * MB })).toBe(170 * MB);
  });
});
