import { describe, expect, it } from "vitest";
import { ALLOWED_BYTES_MIN, tooSmall } from "../../../src/archive/retention/volume-excess.js";

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
