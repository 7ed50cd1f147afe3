import { describe, expect, it } from "vitest";
import { PlaybackClock } from "../../../src/page/player/playback-clock.js";
import { steer } from "../../../src/page/player/steering.js";

const LIVE = { startS: 0, endS: 10, pictureS: 0.04, isHeard: false };

describe("how a live picture stays near the newest", () => {
  it("keeps its speed at some 115 ms behind", () => {
    for (const behind of [0.09, 0.115, 0.14])
      expect(steer({ ...LIVE, isHeard: true, nowS: 10 - behind })).toEqual({ rate: 1 });
    expect(steer({ ...LIVE, nowS: 9.885 })).toEqual({ rate: 1 });
    expect(steer({ ...LIVE, nowS: 9.86 }).rate).toBe(1.01);
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
    expect(endS - nowS).toBeGreaterThan(0.09);
    expect(endS - nowS).toBeLessThan(0.14);
  });
});

describe("the clock of a playback", () => {
  it("runs at its speed, and stands while it is paused or held", () => {
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
