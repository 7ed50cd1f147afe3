import { describe, expect, it } from "vitest";
import { PictureTimes } from "../../../src/page/player/picture-times.js";

const WALL_MS = 1_795_399_200_000;

function add(times: PictureTimes, mediaS: number, wallMs: number, durationS = 0.04): void {
  times.add({ mediaS, durationS, wallMs: WALL_MS + wallMs, handOverMs: WALL_MS + wallMs });
}

describe("key frames that stand for their groups", () => {
  it("are those of the newest scan, whatever came before and after it", () => {
    const times = new PictureTimes();
    expect(times.keyPictures()).toEqual([]);
    add(times, 0, 0);
    times.beginStretch(true);
    add(times, 1, 0, 2);
    times.beginStretch(true);
    add(times, 4, 0, 2);
    add(times, 6, 2000, 2);
    times.beginStretch();
    add(times, 9, 2000);
    add(times, 9.04, 2040);
    expect(times.keyPictures().map(({ mediaS }) => mediaS)).toEqual([4, 6]);
    expect(times.pictureOf(WALL_MS + 2041)?.mediaS).toBe(9.04);
    expect(times.pictureOf(WALL_MS + 500)?.mediaS).toBe(4);
  });
});
