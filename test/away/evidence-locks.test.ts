import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkTarget } from "../../src/away/index.js";
import { SystemClock, US_PER_DAY } from "../../src/base/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { RECIPIENT } from "../support/away/age-keys.js";
import { AwayBox } from "../support/away/away-box.js";
import { awayTarget } from "../support/away/away-samples.js";

const LOCK = { mode: "governance", days: 10, isHeld: true } as const;

let box: AwayBox;

beforeEach(async () => {
  box = await AwayBox.start();
  box.store.hasLock = true;
  for (let number = 0; number < 4; number++) box.record({ fromUs: START_US + number * MINUTE_US });
});

afterEach(async () => {
  await box.stop();
});

/** The time of the second and third segment. */
function protect(): void {
  const span = { fromUs: START_US + MINUTE_US, toUs: START_US + 3 * MINUTE_US };
  box.protectedSpans.push({ ...span, channelId: box.channelId });
}

const wish = (change: object = {}) => ({
  ...{ channelId: box.channelId, fromUs: START_US, toUs: START_US + 2 * MINUTE_US },
  ...({ mode: "governance", untilUs: (Date.now() + 86_400_000) * 1000, isHeld: false } as const),
  ...{ comment: "", userName: "root", ...change },
});

const locked = () => [...box.store.locks.values()];
const done = async (segments: number) =>
  await expect
    .poll(() => box.replications.locks()[0])
    .toMatchObject({
      ...{ segments, done: segments, isCounting: false },
    });
const raised = () => box.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.awayLockFailing.id);

describe("locks in the bucket", () => {
  it("are set on the recordings of a protected time, by the target's configuration, and on no others", async () => {
    protect();
    box.run({ lock: LOCK });
    await done(2);
    expect(locked()).toHaveLength(2);
    const until = (Math.floor(Date.now() / 86_400_000) + 11) * 86_400_000;
    for (const lock of locked())
      expect(lock).toEqual({ mode: "GOVERNANCE", until: new Date(until).toISOString(), hold: "ON" });
    const lockEvents = box.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.awayLocked.id);
    const comment = expect.stringMatching(/^Cellar: 2026-03-01.*governance until .*, legal hold$/);
    expect(lockEvents).toMatchObject([{ channelId: box.channelId, comment }]);
  });

  it("are set by the owner, also on what is sent later", async () => {
    box.run();
    await box.sentAll();
    const lock = await box.replications.lock(box.targetId, wish({ toUs: START_US + 6 * MINUTE_US }));
    await done(4);
    box.record({ fromUs: START_US + 5 * MINUTE_US });
    await done(5);
    expect(lock).toMatchObject({ targetName: "Cellar", isLifted: false });
    expect(locked().map(({ hold }) => hold)).toEqual(Array(5).fill("OFF"));
  });

  it("are lifted: the hold is off and the time ends within a minute; one that is lifted does not come again", async () => {
    protect();
    box.run({ lock: LOCK });
    await done(2);
    const [lock] = box.replications.locks();
    await box.replications.liftLock(lock?.id ?? "");
    await done(2);
    for (const { until, hold } of locked()) {
      expect(hold).toBe("OFF");
      expect(Date.parse(until)).toBeLessThan(Date.now() + 61_000);
    }
    await box.halt();
    box.run();
    await done(2);
    expect(box.replications.locks()).toMatchObject([{ isLifted: true }]);
  });

  it("in compliance mode can be put off, and not lifted, shortened or weakened before their day", async () => {
    box.run();
    await box.sentAll();
    const { id, untilUs } = await box.replications.lock(box.targetId, wish({ mode: "compliance" }));
    const conflict = { code: "CONFLICT", message: expect.stringMatching(/compliance mode until/) };
    await expect(box.replications.liftLock(id)).rejects.toMatchObject(conflict);
    const change = (to: object) => box.replications.changeLock(id, to);
    await expect(change({ untilUs: untilUs - 1_000_000 })).rejects.toMatchObject(conflict);
    await expect(change({ mode: "governance" })).rejects.toMatchObject(conflict);
    await change({ untilUs: untilUs + US_PER_DAY, isHeld: true });
    await change({ isHeld: false });
    await done(2);
    const until = new Date((untilUs + US_PER_DAY) / 1000).toISOString();
    for (const lock of locked()) expect(lock).toEqual({ mode: "COMPLIANCE", until, hold: "OFF" });
  });

  it("go on after expired credentials and a restart, half-way, and none is set twice", async () => {
    box.run();
    await box.sentAll();
    let left = 3;
    box.store.fault = ({ method, query }) =>
      method === "PUT" && (query.has("retention") || query.has("legal-hold")) && --left < 0
        ? { status: 400, code: "ExpiredToken" }
        : undefined;
    await box.replications.lock(box.targetId, wish({ isHeld: true }));
    await expect.poll(() => box.state?.problem).toMatch(/credentials have expired/);
    expect(locked()).toHaveLength(2);
    await box.halt();
    box.store.fault = () => undefined;
    const before = box.store.asked.length;
    box.run();
    await done(2);
    expect(locked().map(({ hold }) => hold)).toEqual(["ON", "ON"]);
    const retained = box.store.asked.slice(before).filter(({ query }) => query.has("retention"));
    expect(retained).toEqual([]);
  });

  it("are set anew where an object was sent anew", async () => {
    box.run();
    await box.sentAll();
    await box.replications.lock(box.targetId, wish());
    await done(2);
    const [key = ""] = box.store.locks.keys();
    box.store.objects.delete(key);
    box.store.locks.delete(key);
    await box.loseState();
    box.run();
    await box.replications.lock(box.targetId, wish());
    await expect.poll(() => box.store.locks.has(key)).toBe(true);
    expect(box.store.objects.has(key)).toBe(true);
  });

  describe("after the loss of the system disk", () => {
    const copies = () => [...box.store.objects.keys()].filter((key) => key.startsWith("box/locks/"));

    async function lost(change: object = {}) {
      box.run();
      await box.sentAll();
      const lock = await box.replications.lock(box.targetId, wish({ comment: "theft", ...change }));
      await done(2);
      await expect.poll(copies).toHaveLength(1);
      await box.loseState();
      return lock;
    }

    it("are known again from the bucket, and can be lifted", async () => {
      const { segments: _, done: __, isCounting: ___, problem: ____, ...lock } = await lost();
      box.run();
      await done(2);
      expect(box.replications.locks()).toMatchObject([lock]);
      await box.replications.liftLock(lock.id);
      await expect
        .poll(() => locked().map(({ until }) => Date.parse(until) < Date.now() + 61_000))
        .toEqual([true, true]);
    });

    it("are known again where their file is damaged", async () => {
      const lock = await lost();
      box.run();
      await done(2);
      await box.halt();
      writeFileSync(path.join(box.directory.join("data"), "away", box.targetId, "locks.json"), "{");
      box.run();
      await done(2);
      expect(box.replications.locks()).toMatchObject([{ id: lock.id }]);
    });

    it("are joined with those that were added before the bucket could be asked, also after a restart", async () => {
      const first = await lost();
      box.store.fault = () => ({ status: 503 });
      box.run();
      const second = await box.replications.lock(box.targetId, wish({ isHeld: true }));
      await box.halt();
      box.store.fault = () => undefined;
      box.run();
      const ids = () => box.replications.locks().map(({ id }) => id);
      await expect.poll(() => ids().sort()).toEqual([first.id, second.id].sort());
    });

    it("are not set a second time by the target's configuration", async () => {
      protect();
      box.run({ lock: LOCK });
      await done(2);
      await expect.poll(copies).toHaveLength(1);
      await box.loseState();
      box.aheadUs = 3 * US_PER_DAY;
      box.run();
      await done(2);
      expect(box.replications.locks()).toHaveLength(1);
    });

    it("keep what is too old in the bucket", async () => {
      await lost();
      box.run({ keepDays: 1 });
      await expect.poll(() => box.named().size).toBe(2);
      expect([...box.store.locks.keys()].map((key) => box.store.objects.has(key))).toEqual([true, true]);
    });

    it("are not known where somebody wrote nonsense in their place, and an older copy is taken", async () => {
      const lock = await lost();
      box.store.objects.set("box/locks/9999999998.json", Buffer.from("{}"));
      box.run();
      await done(2);
      expect(box.replications.locks()).toMatchObject([{ id: lock.id }]);
    });

    it("come from a copy without names and comments where recordings are encrypted", async () => {
      box.run({ recipients: [RECIPIENT] });
      await expect.poll(() => box.named().size).toBe(4);
      await box.replications.lock(box.targetId, wish({ comment: "theft" }));
      await expect.poll(copies).toHaveLength(1);
      expect(box.store.objects.get(copies()[0] ?? "")?.toString()).not.toMatch(/theft|root/);
    });
  });

  it.each([
    ["has no object lock", false],
    ["does not know", undefined],
  ])(
    "cannot be where the bucket %s: who asks is told, an event says it once, and sending goes on",
    async (_name, has) => {
      box.store.hasLock = has;
      protect();
      box.run({ lock: LOCK });
      await box.sentAll();
      await expect.poll(() => raised().length).toBe(1);
      await expect(box.replications.lock(box.targetId, wish())).rejects.toMatchObject({ code: "CONFLICT" });
      expect(box.replications.locks()[0]?.problem).toMatch(/object lock|does not know/);
      expect(box.store.asked.some(({ query }) => query.has("retention"))).toBe(false);
      expect(raised()).toHaveLength(1);
    },
  );

  it("are what the test of a target asks for, where the target wants them", async () => {
    const target = awayTarget({
      id: box.targetId,
      endpoint: `http://127.0.0.1:${box.store.port}`,
      lock: LOCK,
    });
    const check = () => checkTarget(target, { clock: new SystemClock() });
    expect(await check()).toBeUndefined();
    box.store.hasLock = false;
    expect(await check()).toMatchObject({
      step: "lock",
      text: expect.stringMatching(/has no object lock: create another/),
    });
    box.store.hasLock = undefined;
    expect(await check()).toMatchObject({ step: "lock", fault: "unsupported" });
  });
});
