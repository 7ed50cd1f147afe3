import { describe, expect, it } from "vitest";
import {
  allowedBytes,
  boundBytes,
  crowded,
  movingRoom,
  reservedFiles,
  roomBytes,
  tooSmall,
  type VolumeUse,
} from "../../../src/archive/segment/volume-room.js";

const MB = 1_000_000;
const MIB = 1024 * 1024;

/** A disk of 1,000 MB, of which recordings have 300 and 600 are free. */
function use({
  space,
  ...more
}: Partial<Omit<VolumeUse, "space">> & { space?: Partial<VolumeUse["space"]> } = {}) {
  return {
    ...{ quota: {}, usedBytes: 300 * MB, ...more },
    space: { totalBytes: 1000 * MB, freeBytes: 600 * MB, ...space },
  };
}

describe("what a volume may hold", () => {
  it("is the room of recordings and what is free, less the reserve, and no more than its quota", () => {
    expect(boundBytes(use())).toBe(900 * MB);
    expect(boundBytes(use({ quota: { reserveBytes: 50 * MB } }))).toBe(850 * MB);
    expect(boundBytes(use({ quota: { reserveBytes: 50 * MB, quotaBytes: 400 * MB } }))).toBe(400 * MB);
    expect(boundBytes(use({ quota: { reserveBytes: 1000 * MB } }))).toBe(-100 * MB);
  });

  it("is never less than nothing, nor what it may still take", () => {
    const without = use({ quota: { reserveBytes: 1000 * MB } });
    expect([allowedBytes(without), roomBytes(without)]).toEqual([0, 0]);
    expect(roomBytes(use({ quota: { quotaBytes: 250 * MB } }))).toBe(0);
    expect(roomBytes(use({ quota: { quotaBytes: 400 * MB } }))).toBe(100 * MB);
  });

  it("is what its free files suffice for at the size of its segments, once there are a hundred", () => {
    const files = { total: 4000, free: 510 };
    expect(allowedBytes(use({ segments: 100, space: { files } }))).toBe(330 * MB);
    expect(allowedBytes(use({ segments: 99, space: { files } }))).toBe(900 * MB);
    expect(allowedBytes(use({ space: { files } }))).toBe(900 * MB);
    const none = { total: 4000, free: 400 };
    expect(roomBytes(use({ segments: 100, space: { files: none } }))).toBe(0);
  });

  it("leaves an eighth of the files free, and at most 1024", () => {
    expect([0, 7, 8, 8191, 8192, 1_000_000].map(reservedFiles)).toEqual([0, 0, 1, 1023, 1024, 1024]);
  });
});

describe("what may be moved to a volume", () => {
  it("leaves an eighth of what it may hold, and at most 512 MiB", () => {
    expect(movingRoom(use())).toBe(900 * MB - 112.5 * MB - 300 * MB);
    const large = use({ space: { totalBytes: 40_000 * MB, freeBytes: 20_000 * MB } });
    expect(movingRoom(large)).toBe(20_000 * MB - 512 * MIB);
    expect(movingRoom(use({ usedBytes: 850 * MB, space: { freeBytes: 50 * MB } }))).toBe(0);
  });

  it("is nothing where fewer files are free than twice those that stay so", () => {
    const free = (count: number) => movingRoom(use({ space: { files: { total: 8000, free: count } } }));
    expect([free(1999), free(2000)]).toEqual([0, 487.5 * MB]);
  });
});

describe("a volume is too small", () => {
  const roomText = (reserveMb: number, freeMb: number, usedMb = 0, totalMb = 1000) =>
    tooSmall(
      use({
        ...{ quota: { reserveBytes: reserveMb * MB }, usedBytes: usedMb * MB },
        space: { totalBytes: totalMb * MB, freeBytes: freeMb * MB },
      }),
    );

  it("where its reserve leaves less than 32 MB, with the figures", () => {
    expect(roomText(600, 631)).toEqual({ reserveBytes: 600 * MB, roomBytes: 631 * MB });
    expect(roomText(600, 531, 100)).toEqual({ reserveBytes: 600 * MB, roomBytes: 631 * MB });
    expect(roomText(600, 632)).toBeUndefined();
  });

  it("not where other files take as much as the reserve does", () => {
    expect(roomText(500, 500)).toBeUndefined();
    expect(roomText(501, 500)).toBeDefined();
    expect(roomText(50, 60, 10)).toBeUndefined();
  });

  it("not where other files leave less than 32 MB even without it, unless it is the whole disk", () => {
    expect(roomText(999, 31)).toBeUndefined();
    expect(roomText(999, 32)).toBeDefined();
    expect(roomText(1000, 31)).toBeDefined();
    expect(roomText(0, 10)).toBeUndefined();
  });
});

describe("other files crowd a volume", () => {
  const roomText = (
    freeMb: number,
    bytesADayMb: number,
    more: { usedMb?: number; quotaMb?: number; reserveMb?: number } = {},
  ) => {
    const { usedMb = 0, quotaMb, reserveMb = 0 } = more;
    const quota = {
      ...(quotaMb === undefined ? {} : { quotaBytes: quotaMb * MB }),
      reserveBytes: reserveMb * MB,
    };
    return crowded(
      use({ quota, usedBytes: usedMb * MB, space: { freeBytes: freeMb * MB } }),
      bytesADayMb * MB,
    );
  };

  it("where they leave less than a day, or than 32 MB, with the figures", () => {
    expect(roomText(100, 200, { usedMb: 50, reserveMb: 10 })).toEqual({
      otherBytes: 850 * MB,
      leftBytes: 140 * MB,
    });
    expect(roomText(100, 100)).toBeUndefined();
    expect(roomText(31, 1)).toEqual({ otherBytes: 969 * MB, leftBytes: 31 * MB });
    expect(roomText(32, 1)).toBeUndefined();
  });

  it("where what they leave is less than the reserve, which is less than what they take", () => {
    expect(roomText(40, 200, { usedMb: 10, reserveMb: 60 })).toEqual({ otherBytes: 950 * MB, leftBytes: 0 });
  });

  it("where they take as much as they leave, and not where they take less", () => {
    expect(roomText(500, 600)).toEqual({ otherBytes: 500 * MB, leftBytes: 500 * MB });
    expect(roomText(501, 600)).toBeUndefined();
  });

  it("not where the quota or the reserve is the reason, nor where nothing is known of the disk", () => {
    expect(roomText(100, 200, { quotaMb: 100 })).toBeUndefined();
    expect(roomText(100, 200, { quotaMb: 101 })).toBeDefined();
    expect(roomText(500, 200, { usedMb: 0, reserveMb: 501 })).toBeUndefined();
    expect(crowded(use({ space: { totalBytes: 0, freeBytes: 0 }, usedBytes: 0 }), MB)).toBeUndefined();
  });
});
