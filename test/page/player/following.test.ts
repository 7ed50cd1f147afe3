import { describe, expect, it } from "vitest";
import { follow } from "../../../src/page/player/following.js";

const PICTURE = { mediaS: 5, durationS: 0.04, wallMs: 1000, handOverMs: 1000, stretch: 2 };
const MOVING = { wallMs: 1004, speed: 1, isMoving: true };
const STANDING = { ...MOVING, isMoving: false };
const PENDING = { toS: 5.01, forMs: 100, stretch: 2 };

describe("how an element follows a playback", () => {
  it("plays at the speed while it is in step", () => {
    expect(follow(PICTURE, MOVING, { nowS: 5 })).toEqual({ rate: 1 });
    expect(follow(PICTURE, { ...MOVING, speed: 4 }, { nowS: 5 })).toEqual({ rate: 4 });
  });

  it("corrects a small distance by its speed, a large one by a seek", () => {
    expect(follow(PICTURE, { ...MOVING, wallMs: 1000 }, { nowS: 4.9 })).toMatchObject({ rate: 1.2 });
    expect(follow(PICTURE, { ...MOVING, wallMs: 1010 }, { nowS: 1 })).toEqual({ rate: 1, seekToS: 5.01 });
  });

  it("stands on the picture when paused, backwards, and beyond four times", () => {
    const stands = { seekToS: 5.01 };
    expect(follow(PICTURE, STANDING, { nowS: 5 })).toEqual(stands);
    expect(follow(PICTURE, { ...MOVING, speed: -1 }, { nowS: 5 })).toEqual(stands);
    expect(follow(PICTURE, { ...MOVING, speed: 16 }, { nowS: 5 })).toEqual(stands);
    expect(follow(PICTURE, STANDING, { nowS: 5.01 })).toEqual({});
  });

  it("leaves the same picture of before a jump where it is, but not one of after it", () => {
    const before = { ...PICTURE, mediaS: 1, stretch: 1 };
    expect(follow(PICTURE, STANDING, { nowS: 1.01, shown: before })).toEqual({});
    const smaller = { ...PICTURE, mediaS: 4 };
    expect(follow(PICTURE, STANDING, { nowS: 4.01, shown: smaller })).toEqual({ seekToS: 5.01 });
  });

  it("waits for a seek that is under way, and gives it up when it takes long or another place is wanted for long", () => {
    expect(follow(PICTURE, STANDING, { nowS: 5.01, seek: PENDING })).toEqual({});
    expect(follow(PICTURE, STANDING, { nowS: 5.01, seek: { ...PENDING, forMs: 1000 } })).toEqual({
      seekToS: 5.01,
    });
    expect(follow(PICTURE, STANDING, { nowS: 3, seek: { ...PENDING, toS: 3 } })).toEqual({});
    expect(follow(PICTURE, STANDING, { nowS: 3, seek: { ...PENDING, toS: 3, forMs: 250 } })).toEqual({
      seekToS: 5.01,
    });
    expect(follow(PICTURE, MOVING, { nowS: 3, seek: { ...PENDING, toS: 3, forMs: 250 } })).toMatchObject({
      seekToS: 5.004,
    });
  });

  it("does not wait for a seek to pictures that were given up by a jump", () => {
    const abandoned = { toS: 4, forMs: 0, stretch: 1 };
    expect(follow(PICTURE, MOVING, { nowS: 4, seek: abandoned })).toEqual({ rate: 1, seekToS: 5.004 });
    expect(follow(PICTURE, STANDING, { nowS: 4, seek: abandoned })).toEqual({ seekToS: 5.01 });
  });
});
