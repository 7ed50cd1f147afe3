import { describe, expect, it } from "vitest";
import { follow } from "../../../src/page/player/following.js";
import { PlaybackClock } from "../../../src/page/player/playback-clock.js";
import { steer } from "../../../src/page/player/steering.js";

const LIVE = { startS: 0, endS: 10, pictureS: 0.04, isHeard: false };

describe("how a live picture stays near the newest", () => {
  it("keeps its speed at some 115 ms behind", () => {
    for (const behind of [0.09, 0.115, 0.14])
      expect(steer({ ...LIVE, nowS: 10 - behind })).toEqual({ rate: 1 });
  });

  it("is faster when it is behind, slower when it has too little, and less so where sound is heard", () => {
    const behind = steer({ ...LIVE, nowS: 9.4 });
    expect(behind.rate).toBeGreaterThan(1.1);
    expect(steer({ ...LIVE, nowS: 9.4, isHeard: true }).rate).toBeLessThan(1.07);
    expect(steer({ ...LIVE, nowS: 9.99 }).rate).toBeLessThan(1);
  });

  it("jumps when it is far behind, and when its place has left the buffer", () => {
    expect(steer({ ...LIVE, nowS: 8 }).jumpToS).toBeCloseTo(9.885, 3);
    expect(steer({ ...LIVE, startS: 9.95, nowS: 4 }).jumpToS).toBe(9.95);
  });

  it("keeps one picture more of a slow camera", () => {
    expect(steer({ ...LIVE, pictureS: 0.2, nowS: 9.72 }).rate).toBe(1);
  });

  it("comes to 115 ms from half a second, and stays", () => {
    let nowS = 9.5;
    let endS = 10;
    for (let tick = 0; tick < 500; tick++) {
      const { rate } = steer({ ...LIVE, endS, nowS });
      nowS += 0.04 * rate;
      endS += 0.04;
    }
    expect(endS - nowS).toBeGreaterThan(0.07);
    expect(endS - nowS).toBeLessThan(0.16);
  });
});

describe("how an element follows a playback", () => {
  const picture = { mediaS: 5, durationS: 0.04, wallMs: 1000, handOverMs: 1000 };
  const moving = { nowS: 5, speed: 1, isMoving: true };

  it("plays at the speed while it is in step", () => {
    expect(follow(picture, 1004, moving)).toEqual({ kind: "play", rate: 1 });
    expect(follow(picture, 1004, { ...moving, speed: 4 })).toEqual({ kind: "play", rate: 4 });
  });

  it("corrects a small distance by its speed, a large one by a jump", () => {
    expect(follow(picture, 1000, { ...moving, nowS: 4.9 })).toMatchObject({ rate: 1.2 });
    expect(follow(picture, 1010, { ...moving, nowS: 1 })).toEqual({ kind: "play", rate: 1, jumpToS: 5.01 });
  });

  it("stands on the picture when paused, backwards, and beyond four times", () => {
    const stands = { kind: "stand", atS: 5.01 };
    expect(follow(picture, 1030, { ...moving, isMoving: false })).toEqual(stands);
    expect(follow(picture, 1030, { ...moving, speed: -1 })).toEqual(stands);
    expect(follow(picture, 1030, { ...moving, speed: 16 })).toEqual(stands);
  });

  it("the clock runs at its speed, and stands while it is paused or held", () => {
    let now = 0;
    const clock = new PlaybackClock(() => now);
    clock.set(10_000);
    now = 50;
    expect(clock.at()).toBe(10_000);
    clock.run(true);
    now = 150;
    expect(clock.at()).toBe(10_100);
    clock.setSpeed(-4);
    now = 250;
    expect(clock.at()).toBe(9700);
    clock.hold(true);
    now = 900;
    clock.hold(true);
    expect(clock.at()).toBe(9700);
    clock.hold(false);
    now = 910;
    expect(clock.at()).toBe(9660);
  });
});
