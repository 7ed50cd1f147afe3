import { describe, expect, it } from "vitest";
import { attentiveUs, type Clock, SystemClock, setTimeLimit, withTimeout } from "../../src/base/index.js";
import { HeldTime } from "../../src/base/time/held-time.js";
import { ManualClock } from "../support/base/manual-clock.js";

/** A clock whose thread a test says to be held. */
class HeldClock extends ManualClock implements Clock {
  held = 0;

  heldUs(): number {
    return this.held;
  }

  /** Something holds the thread for `ms`: nothing runs before it is over. */
  hold(ms: number): void {
    this.held += ms * 1000;
    this.advance(ms);
  }
}

/** A limit of a second, and how often it ended. */
function limited(clock: HeldClock) {
  const counted = { ended: 0, limit: setTimeLimit(clock, () => counted.ended++, 1000) };
  return counted;
}

describe("a time limit for somebody else", () => {
  it("ends when its time is over", () => {
    const clock = new HeldClock();
    const counted = limited(clock);
    clock.advance(999);
    expect(counted.ended).toBe(0);
    clock.advance(1);
    expect(counted.ended).toBe(1);
    clock.advance(5000);
    expect(counted.ended).toBe(1);
  });

  it("does not count the time in which the main thread was held", () => {
    const clock = new HeldClock();
    const counted = limited(clock);
    clock.advance(500);
    clock.hold(17_000);
    expect(counted.ended).toBe(0);
    clock.advance(499);
    expect(counted.ended).toBe(0);
    clock.advance(1);
    expect(counted.ended).toBe(1);
  });

  it("does not count a hold before it either", () => {
    const clock = new HeldClock();
    clock.hold(17_000);
    const counted = limited(clock);
    clock.advance(1000);
    expect(counted.ended).toBe(1);
  });

  it("is over when it is cleared, also after a hold", () => {
    const clock = new HeldClock();
    const counted = limited(clock);
    clock.hold(1500);
    counted.limit.clear();
    clock.advance(5000);
    expect(counted.ended).toBe(0);
  });

  it("lets an answer win that came while the thread was held", async () => {
    const clock = new HeldClock();
    let answer: (value: string) => void = () => undefined;
    const work = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const outcome = withTimeout(work, { clock, ms: 1000, error: () => new Error("the disk is late") });
    clock.hold(17_000);
    answer("written");
    expect(await outcome).toBe("written");
  });
});

describe("the time for which the main thread is held", () => {
  it("is how late timers come, when that is much", () => {
    const held = new HeldTime();
    held.add(5);
    held.add(300);
    held.add(2000);
    expect(held.ms(0)).toBe(2300);
    expect(held.ms(40)).toBe(2300);
    expect(held.ms(1000)).toBe(3300);
  });

  it("is reported by the system's clock as soon as the hold is over", async () => {
    const clock = new SystemClock();
    const interval = clock.setInterval(() => undefined, 100);
    await new Promise<void>((resolve) => void clock.setTimeout(resolve, 250));
    const before = { heldUs: clock.heldUs(), attentiveUs: attentiveUs(clock) };
    for (const endUs = clock.monotonicUs() + 800_000; clock.monotonicUs() < endUs; );
    expect(clock.heldUs() - before.heldUs).toBeGreaterThan(500_000);
    expect(attentiveUs(clock) - before.attentiveUs).toBeLessThan(300_000);
    interval.clear();
  });
});
