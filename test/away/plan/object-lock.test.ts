import { describe, expect, it } from "vitest";
import {
  isSameLock,
  lockFor,
  lockText,
  readLockText,
  type WantedLock,
} from "../../../src/away/plan/object-lock.js";

const NOW_US = 1000;
const wanted = (more: Partial<WantedLock>): WantedLock => ({
  ...{ fromUs: 0, toUs: 10, mode: "governance", untilUs: 2000, isHeld: false, isLifted: false },
  ...more,
});

describe("the lock that is wanted for an object", () => {
  it("lasts until the latest of the times that are not lifted", () => {
    const locks = [wanted({}), wanted({ untilUs: 3000 }), wanted({ untilUs: 9000, isLifted: true })];
    expect(lockFor(locks, NOW_US)).toEqual({
      retention: { mode: "governance", untilUs: 3000 },
      isHeld: false,
    });
  });

  it("is compliance for as long as that lasts, though governance lasts longer", () => {
    const locks = [wanted({ untilUs: 9000 }), wanted({ mode: "compliance", untilUs: 1001 })];
    expect(lockFor(locks, NOW_US).retention).toEqual({ mode: "compliance", untilUs: 1001 });
    expect(lockFor(locks, 1001).retention).toEqual({ mode: "governance", untilUs: 9000 });
  });

  it("is none where it has lapsed, where none is wanted, and where all is lifted", () => {
    const none = { retention: undefined, isHeld: false };
    expect(lockFor([wanted({ untilUs: NOW_US })], NOW_US)).toEqual(none);
    expect(lockFor([wanted({ mode: "none", untilUs: 9000 })], NOW_US)).toEqual(none);
    expect(lockFor([wanted({ isLifted: true, isHeld: true })], NOW_US)).toEqual(none);
    expect(lockFor([], NOW_US)).toEqual(none);
  });

  it("is held where one of those that are not lifted is", () => {
    expect(lockFor([wanted({}), wanted({ mode: "none", isHeld: true })], NOW_US).isHeld).toBe(true);
  });
});

it.each([
  ["free", { retention: undefined, isHeld: false }],
  ["free held", { retention: undefined, isHeld: true }],
  ["governance 2000", { retention: { mode: "governance", untilUs: 2000 }, isHeld: false }],
  ["compliance 2000 held", { retention: { mode: "compliance", untilUs: 2000 }, isHeld: true }],
] as const)("a journal keeps %s, and it is read again", (text, lock) => {
  expect([lockText(lock), readLockText(text)]).toEqual([text, lock]);
});

it.each([undefined, "", "held", "governance", "governance x", "none 5", "free held now"])(
  "%s in a journal says nothing",
  (text) => {
    expect(readLockText(text)).toBeUndefined();
  },
);

it("locks are the same in mode, time and hold; what has lapsed is none", () => {
  const until = (untilUs: number, mode: "governance" | "compliance" = "governance", isHeld = false) => ({
    ...{ retention: { mode, untilUs }, isHeld },
  });
  const free = { retention: undefined, isHeld: false };
  expect(isSameLock(until(2000), until(2000), NOW_US)).toBe(true);
  expect(isSameLock(until(2000), until(2001), NOW_US)).toBe(false);
  expect(isSameLock(until(2000), until(2000, "compliance"), NOW_US)).toBe(false);
  expect(isSameLock(until(2000), until(2000, "governance", true), NOW_US)).toBe(false);
  expect(isSameLock(until(2000), free, NOW_US)).toBe(false);
  expect(isSameLock(until(NOW_US), free, NOW_US)).toBe(true);
  expect(isSameLock(until(NOW_US), until(900, "compliance"), NOW_US)).toBe(true);
});
