import { beforeEach, describe, expect, it } from "vitest";
import { StrangerTime } from "../../../src/route/login/stranger-time.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const KNOWN = "203.0.113.1";
let clock: ManualClock;
let strangers: StrangerTime;

beforeEach(() => {
  clock = new ManualClock();
  strangers = new StrangerTime({ clock, access: { knowsAddress: (address) => address === KNOWN } });
});

const isRefused = (address: string): boolean => {
  try {
    strangers.require(address);
    return false;
  } catch {
    return true;
  }
};

/** Lets many addresses have all the time there is. */
const useUp = (): void => {
  for (let host = 1; host <= 200; host += 1)
    if (!isRefused(`192.0.2.${host}`)) strangers.spent(`192.0.2.${host}`, 30);
};

describe("the main thread's time for strangers", () => {
  it("is there for who asks for little", () => {
    for (let times = 0; times < 100; times += 1) strangers.spent("192.0.2.1", 1);
    expect(isRefused("192.0.2.1")).toBe(false);
  });

  it("is refused to an address that has had its own", () => {
    strangers.spent("192.0.2.1", 600);
    expect(isRefused("192.0.2.1")).toBe(true);
    expect(isRefused("192.0.2.2")).toBe(false);
  });

  it("is one for all addresses of an IPv6 network", () => {
    strangers.spent("2001:db8::1", 600);
    expect(isRefused("2001:db8::2")).toBe(true);
  });

  it("is refused to all who asked when all together have had it, and comes back", () => {
    useUp();
    expect(isRefused("192.0.2.1")).toBe(true);
    clock.advance(60_000);
    expect(isRefused("192.0.2.1")).toBe(false);
  });

  it("is left for who has not asked before", () => {
    useUp();
    clock.advance(1000);
    expect(isRefused("198.51.100.1")).toBe(false);
    strangers.spent("198.51.100.1", 30);
    expect(isRefused("198.51.100.1")).toBe(true);
  });

  it("is not counted for an address that somebody has logged in from", () => {
    useUp();
    for (let times = 0; times < 3000; times += 1) strangers.spent(KNOWN, 100);
    expect(isRefused(KNOWN)).toBe(false);
    expect(strangers.drops(KNOWN)).toBe(false);
    expect(strangers.drops("198.51.100.1")).toBe(false);
  });

  it("ends in no answer at all when the debt is deep", () => {
    useUp();
    expect(strangers.drops("192.0.2.1")).toBe(false);
    for (let times = 0; times < 3000; times += 1) strangers.spent("192.0.2.1", 1);
    expect(strangers.drops("192.0.2.1")).toBe(true);
    expect(strangers.drops("198.51.100.1")).toBe(false);
    clock.advance(60_000);
    expect(strangers.drops("192.0.2.1")).toBe(false);
  });
});
