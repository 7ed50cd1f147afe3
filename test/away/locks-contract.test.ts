import { describe, expect, it, onTestFinished } from "vitest";
import type { AwayControl, AwayTargetState, LockWish } from "../../src/away/index.js";
import { type Guid, newGuid, SystemClock } from "../../src/base/index.js";
import { MemoryAway } from "../support/api/memory/memory-away.js";
import { MINUTE_US, START_US, streamOfNumber } from "../support/archive/segment-fixtures.js";
import { AwayBox } from "../support/away/away-box.js";

const DAY_US = 86_400_000_000;
const { channelId } = streamOfNumber(2);
/** The text that a target has in tests. */
const NAME = "Cellar";

type Locks = Pick<AwayControl, "states" | "locks" | "lock" | "changeLock" | "liftLock">;

interface Side {
  readonly locks: Locks;
  /** The one that is on. */
  readonly targetId: Guid;
}

async function inBucket(hasLock: boolean): Promise<Side> {
  const box = await AwayBox.start({ name: NAME });
  onTestFinished(() => box.stop());
  box.store.hasLock = hasLock;
  box.run();
  return { locks: box.replications, targetId: box.targetId };
}

async function inMemory(hasLock: boolean): Promise<Side> {
  const away = new MemoryAway(new SystemClock());
  const targetId = newGuid();
  away.running = [{ id: targetId, name: NAME } as AwayTargetState];
  away.bucketNow = { ...away.bucketNow, hasLock };
  return { locks: away, targetId };
}

/** What stands for the locks off the box takes and refuses what they do: whoever is tested with it, is tested with less otherwise. */
describe.each<[string, (hasLock: boolean) => Promise<Side>]>([
  ["locks in a bucket", inBucket],
  ["locks in memory", inMemory],
])("%s", (_name, make) => {
  async function locked(change: Partial<LockWish> = {}) {
    const { locks, targetId } = await make(true);
    const lock = await locks.lock(targetId, wish(change));
    return { locks, targetId, lock };
  }

  it("are known with what was wished for, and whose bucket they are in", async () => {
    const { locks, targetId, lock } = await locked({ comment: "fence" });
    const { untilUs, ...rest } = wish({ comment: "fence" });
    expect(lock).toMatchObject({ ...rest, targetId, targetName: NAME, isLifted: false, problem: undefined });
    expect(lock.untilUs).toBeGreaterThan(untilUs - MINUTE_US);
    expect(lock.createdUs).toBeGreaterThan(START_US);
    expect(locks.locks()).toMatchObject([{ id: lock.id, comment: "fence" }]);
    expect(locks.states()).toMatchObject([{ id: targetId, name: NAME }]);
  });

  it("are those of a target that is on", async () => {
    const { locks } = await make(true);
    await expect(locks.lock(newGuid(), wish())).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(locks.locks()).toEqual([]);
  });

  it("are not in a bucket without object lock", async () => {
    const { locks, targetId } = await make(false);
    await expect(locks.lock(targetId, wish())).rejects.toMatchObject({ code: "CONFLICT" });
    expect(locks.locks()).toEqual([]);
  });

  it.each<[string, Partial<LockWish>]>([
    ["of a time that ends before it begins", { toUs: START_US }],
    ["that locks nothing", { mode: "none", isHeld: false }],
    ["that is over already", { untilUs: START_US }],
  ])("refuse a wish %s", async (_what, change) => {
    const { locks, targetId } = await make(true);
    await expect(locks.lock(targetId, wish(change))).rejects.toMatchObject({ code: "CONFLICT" });
    expect(locks.locks()).toEqual([]);
  });

  it("are changed, and refuse what would be refused of a new one", async () => {
    const { locks, lock } = await locked();
    const untilUs = lock.untilUs + DAY_US;
    expect(await locks.changeLock(lock.id, { isHeld: true, untilUs })).toMatchObject({
      ...{ id: lock.id, isHeld: true, untilUs, mode: "governance" },
    });
    const over = locks.changeLock(lock.id, { untilUs: START_US });
    await expect(over).rejects.toMatchObject({ code: "CONFLICT" });
    expect(locks.locks()).toMatchObject([{ untilUs }]);
  });

  it("in compliance mode are lengthened, and neither shortened, loosened nor lifted", async () => {
    const { locks, lock } = await locked({ mode: "compliance" });
    const untilUs = lock.untilUs + DAY_US;
    expect(await locks.changeLock(lock.id, { untilUs })).toMatchObject({ untilUs });
    for (const change of [{ untilUs: lock.untilUs }, { mode: "governance" as const }])
      await expect(locks.changeLock(lock.id, change)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(locks.liftLock(lock.id)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(locks.locks()).toMatchObject([{ untilUs, mode: "compliance", isLifted: false }]);
  });

  it("are lifted once, and not changed any more", async () => {
    const { locks, lock } = await locked();
    expect(await locks.liftLock(lock.id)).toMatchObject({ id: lock.id, isLifted: true });
    await expect(locks.liftLock(lock.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const late = locks.changeLock(lock.id, { isHeld: true });
    await expect(late).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("that nobody knows are neither changed nor lifted", async () => {
    const { locks } = await make(true);
    const id = newGuid();
    await expect(locks.changeLock(id, { isHeld: true })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(locks.liftLock(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

function wish(change: Partial<LockWish> = {}): LockWish {
  return {
    ...{ channelId, fromUs: START_US, toUs: START_US + 2 * MINUTE_US, comment: "", userName: "root" },
    ...{ mode: "governance", untilUs: Date.now() * 1000 + DAY_US, isHeld: false },
    ...change,
  };
}
