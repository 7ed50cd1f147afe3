import { describe, expect, it } from "vitest";
import { LookAhead } from "../../../src/page/playback/watch/look-ahead.js";

describe("the moment under a pointer", () => {
  it("is wanted once, when the pointer has rested", () => {
    const ahead = new LookAhead();
    ahead.hover(5000, 0);
    expect(ahead.wanted(30)).toBeUndefined();
    ahead.hover(6000, 40);
    expect(ahead.wanted(80)).toBeUndefined();
    expect(ahead.wanted(100)).toBe(6000);
    expect(ahead.wanted(200)).toBeUndefined();
  });

  it("is not wanted any more when the pointer has gone", () => {
    const ahead = new LookAhead();
    ahead.hover(5000, 0);
    ahead.hover(undefined, 10);
    expect(ahead.wanted(100)).toBeUndefined();
  });

  it("is what the service answers to, once, and only where it was asked", () => {
    const ahead = new LookAhead();
    ahead.begin(6000.0004);
    expect(ahead.takesAnswer(9000)).toBe(false);
    expect(ahead.takesAnswer(6000)).toBe(true);
    expect(ahead.takesAnswer(6000)).toBe(false);
    ahead.begin();
    expect(ahead.takesAnswer(6000)).toBe(false);
  });

  it("is answered also when the service was ordered elsewhere meanwhile", () => {
    const ahead = new LookAhead();
    ahead.begin(6000);
    ahead.end();
    expect(ahead.takesAnswer(6000)).toBe(true);
    expect(ahead.isAway).toBe(false);
  });

  it("is where the service is, until it is ordered elsewhere", () => {
    const ahead = new LookAhead();
    expect(ahead.isAway).toBe(false);
    ahead.begin();
    expect(ahead.isAway).toBe(true);
    ahead.end();
    expect(ahead.isAway).toBe(false);
  });
});
