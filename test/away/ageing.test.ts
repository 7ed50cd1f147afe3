import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { US_PER_DAY } from "../../src/base/index.js";
import { AwayBox } from "../support/away/away-box.js";

const YEARS_US = 4 * 365 * US_PER_DAY;
const KEEP = { keepDays: 30 } as const;

let box: AwayBox;
const ageUs = (days: number): number => (Date.now() - days * 86_400_000) * 1000;
const keys = () => [...box.store.objects.keys()].filter((key) => key.startsWith("box/streams/"));
const idle = () => expect.poll(() => box.state?.activity).toBe("idle");
const names = () => expect.poll(() => box.named().size);

/** Three recordings of different days are in the bucket: all younger than what is kept. */
beforeEach(async () => {
  box = await AwayBox.start();
  for (const days of [3, 10, 20]) box.record({ fromUs: ageUs(days) });
  box.run(KEEP);
  await box.sentAll();
  await box.halt();
});

afterEach(() => box.stop());

describe("age in the bucket", () => {
  it("removes what is older than is kept, and nothing else", async () => {
    box.run({ keepDays: 15 });
    await names().toBe(2);
    expect(keys()).toHaveLength(2);
  });

  it("removes nothing while the clock is years ahead", async () => {
    box.aheadUs = YEARS_US;
    box.run();
    await idle();
    expect(keys()).toHaveLength(3);
  });

  it("sends what waits while the clock is years ahead", async () => {
    box.aheadUs = YEARS_US;
    box.record({ fromUs: ageUs(5) });
    box.run();
    await box.sentAll();
  });

  it("removes nothing while it is not known whether the clock is set", async () => {
    box.isClockKnown = false;
    box.run({ keepDays: 15 });
    await idle();
    expect(keys()).toHaveLength(3);
    box.isClockKnown = true;
    await names().toBe(2);
  });

  it("says nothing of damage for what rules of the bucket removed", async () => {
    for (const key of keys())
      if (key.includes(new Date(ageUs(20) / 1000).toISOString().slice(0, 10))) box.store.objects.delete(key);
    box.run({ keepDays: 15, ageBy: "bucket", auditPercent: 100 });
    await idle();
    expect(box.events.raised).toEqual([]);
  });

  it("keeps its locks while the clock is years ahead", async () => {
    box.store.hasLock = true;
    box.run();
    const untilUs = (Date.now() + 86_400_000) * 1000;
    const wish = { fromUs: ageUs(11), toUs: ageUs(9), mode: "governance", untilUs, isHeld: false } as const;
    const lock = await box.replications.lock(box.targetId, {
      ...{ channelId: box.channelId, ...wish, comment: "", userName: "root" },
    });
    await expect.poll(() => box.replications.locks()).toMatchObject([{ done: 1 }]);
    await box.halt();
    box.aheadUs = YEARS_US;
    box.run();
    await idle();
    await box.halt();
    box.aheadUs = 0;
    box.run();
    await idle();
    expect(box.replications.locks()).toMatchObject([{ id: lock.id, done: 1 }]);
  });
});
