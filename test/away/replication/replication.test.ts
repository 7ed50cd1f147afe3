import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { segmentPath } from "../../../src/archive/index.js";
import { manifestFolder, revisionOf } from "../../../src/away/plan/manifest.js";
import { SINGLE_BYTES_MAX } from "../../../src/away/send/segment-upload.js";
import { SENDS_MAX } from "../../../src/away/sends-under-way.js";
import { US_PER_DAY } from "../../../src/base/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { AWAY_PLAN_DEFAULT, type AwayTarget } from "../../../src/site/index.js";
import { MINUTE_US, START_US } from "../../support/archive/segment-fixtures.js";
import { AwayBox } from "../../support/away/away-box.js";
import type { Asked } from "../../support/away/scripted-store.js";

let box: AwayBox;
const plan = { ...AWAY_PLAN_DEFAULT, content: "everything", from: "oldest" } as const;

afterEach(() => box?.stop());

async function boxWith(change: Partial<AwayTarget> = {}): Promise<AwayBox> {
  box = await AwayBox.start(change);
  return box;
}

const isSegment = ({ method, key }: Asked) => method === "PUT" && key.startsWith("box/streams/");
const sentKeys = () => box.store.asked.filter(isSegment).map(({ key }) => key.slice("box/".length));
const sentInParts = (name: string) =>
  box.store.asked.filter(
    ({ method, key, query }) => method === "PUT" && key === `box/${name}` && query.has("partNumber"),
  ).length;
const minute = (number: number) => ({ fromUs: START_US + number * MINUTE_US });
const manifests = () => [...box.store.objects.keys()].filter((key) => key.startsWith("box/manifests/"));
const comments = (type: { readonly id: string }) =>
  box.events.raised.filter(({ typeId }) => typeId === type.id).map(({ comment }) => comment);

describe("replication", () => {
  it("sends closed segments as they are, the newest first, and names them in one manifest a day", async () => {
    await boxWith();
    box.sendsMax = 1;
    for (let number = 0; number < 5; number++) box.record(minute(number));
    box.record({ fromUs: START_US + US_PER_DAY });
    box.run();
    await box.sentAll();
    expect(sentKeys()).toEqual([...box.recorded.keys()].reverse());
    const manifests = [...box.store.objects.keys()].filter((key) => key.startsWith("box/manifests/"));
    expect(manifests).toHaveLength(2);
  });

  /** The place at which a recording was sent that came with the first one of so many. */
  async function placeOfFresh(backlog: number, sendsMax?: number): Promise<number> {
    await boxWith();
    box.sendsMax = sendsMax;
    for (let number = 0; number < backlog; number++) box.record(minute(number));
    let fresh = "";
    box.store.fault = (asked) => {
      if (fresh === "" && isSegment(asked)) fresh = segmentPath({ ...box.record(minute(10)) });
      return undefined;
    };
    box.run();
    await box.sentAll();
    expect(sentKeys()).toContain(fresh);
    return sentKeys().indexOf(fresh);
  }

  it("sends what is recorded meanwhile before the backlog", async () => {
    expect(await placeOfFresh(4, 1)).toBe(1);
  });

  it("sends what is recorded meanwhile after those that are under way, and before the rest", async () => {
    expect(await placeOfFresh(8)).toBeLessThanOrEqual(SENDS_MAX);
  });

  it("has three segments under way, and begins no other one before one of them has ended", async () => {
    await boxWith();
    for (let number = 0; number < 6; number++) box.record(minute(number));
    box.store.fault = (asked) => (isSegment(asked) ? "silence" : undefined);
    box.run();
    await expect.poll(() => sentKeys().length).toBe(3);
    await box.halt();
    expect(sentKeys().sort()).toEqual([...box.recorded.keys()].slice(-3).sort());
    box.store.fault = () => undefined;
    box.run();
    await box.sentAll();
  });

  it("gives the target a rest after a failure, and tries it with one segment until that goes", async () => {
    await boxWith();
    for (let number = 0; number < 6; number++) box.record(minute(number));
    const newest = [...box.recorded.keys()].at(-1);
    const busy = () => (sentKeys().length < 9 ? ({ status: 503, code: "SlowDown" } as const) : undefined);
    box.store.fault = (asked) => (isSegment(asked) ? busy() : undefined);
    box.run();
    await box.sentAll();
    expect(new Set(sentKeys().slice(3, 9))).toEqual(new Set([newest]));
    expect(comments(EVENT_TYPES.awayFailing)).toHaveLength(1);
  });

  it("begins nothing that is over the month's volume by what is under way", async () => {
    await boxWith({ gbPerMonthMax: 0.00005 });
    for (let number = 0; number < 8; number++) box.record(minute(number));
    box.run();
    await expect.poll(() => box.state?.activity).toBe("paused");
    expect(sentKeys()).toHaveLength(3);
  });

  it("sends a large segment in parts beside small ones, and one large one at once", async () => {
    await boxWith();
    const large = [0, 1].map((number) => box.record({ ...minute(number), bytes: SINGLE_BYTES_MAX + 1 }));
    box.record(minute(2));
    let mostAtOnce = 0;
    box.store.fault = () => {
      mostAtOnce = Math.max(mostAtOnce, box.store.uploads.size);
      return undefined;
    };
    box.run();
    await box.sentAll();
    expect(large.map((segment) => sentInParts(segmentPath({ ...segment })))).toEqual([5, 5]);
    expect(mostAtOnce).toBe(1);
  });

  it("keeps the journal of a day of which one is under way, though retention took all of it here", async () => {
    await boxWith();
    const old = [0, 1, 2, 3, 4].map((number) => box.record(minute(number)));
    const day = [0, 1].map((number) => box.record({ fromUs: START_US + US_PER_DAY + number * MINUTE_US }));
    box.run();
    await box.sentAll();
    await expect.poll(() => box.state?.activity).toBe("idle");
    const journal = path.join(
      box.directory.join("data", "away", box.targetId),
      box.channelId,
      "2026-03-02.log",
    );
    await expect.poll(() => existsSync(journal)).toBe(true);
    let arrive: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const last = box.record({ fromUs: START_US + US_PER_DAY + 2 * MINUTE_US });
    const isLast = (key: string): boolean => key === `box/${segmentPath({ ...last })}`;
    for (const number of [5, 6, 7, 8, 9, 10]) old.push(box.record(minute(number)));
    let isTaken = false;
    box.store.gate = async (asked) => {
      if (!isSegment(asked)) return;
      if (isLast(asked.key)) return await held;
      if (isTaken) return;
      isTaken = true;
      for (const segment of [...day, last]) await box.removeHere(segment);
      box.replications.noteChange(undefined);
    };
    await expect
      .poll(() => old.every((one) => box.store.objects.has(`box/${segmentPath({ ...one })}`)))
      .toBe(true);
    expect([isTaken, existsSync(journal)]).toEqual([true, true]);
    arrive();
    await box.sentAll();
  });

  it("sends protected times first, also those from before its beginning", async () => {
    await boxWith({ plan: { ...plan, from: "now" } });
    const segments = [0, 1, 2, 3].map((number) => box.record(minute(number)));
    const [, second] = segments;
    box.protectedSpans.push({
      channelId: box.channelId,
      fromUs: (second?.fromUs ?? 0) + 1,
      toUs: (second?.fromUs ?? 0) + 2,
    });
    box.run();
    await expect.poll(() => box.named().size).toBe(1);
    expect([...box.named().keys()]).toEqual(second === undefined ? [] : [segmentPath({ ...second })]);
  });

  it("sends motion with seconds around, and nothing else", async () => {
    await boxWith({ plan: { ...plan, content: "events", secondsBefore: 5, secondsAfter: 70 } });
    const segments = [0, 1, 2, 3, 4, 5].map((number) => box.record(minute(number)));
    const at = (seconds: number, typeId: string) =>
      box.events.raise({ typeId, channelId: box.channelId, timeUs: START_US + seconds * 1e6 });
    at(122, EVENT_TYPES.motionStarted.id);
    at(125, EVENT_TYPES.motionEnded.id);
    box.run();
    await expect.poll(() => box.named().size).toBe(3);
    // From 117 s to 195 s: the second, third and fourth minute.
    const wanted = segments.slice(1, 4).map((segment) => segmentPath({ ...segment }));
    expect([...box.named().keys()].sort()).toEqual(wanted.sort());
  });

  it.each([
    ["nothing", { ...plan, content: "nothing" }],
    ["of another stream", { ...plan, stream: "alternative" }],
  ] as const)("sends %s where the plan says so", async (_name, changed) => {
    await boxWith({ plan: changed });
    box.record();
    box.run();
    await expect.poll(() => box.state?.activity).toBe("idle");
    expect(box.store.objects.size).toBe(0);
  });

  it("names nothing before it is there, at any moment", async () => {
    await boxWith();
    for (let number = 0; number < 10; number++) box.record(minute(number));
    box.store.fault = () => {
      box.checkWhole();
      return undefined;
    };
    box.run();
    await box.sentAll();
    box.record(minute(11));
    await box.sentAll();
    const folder = `box/${manifestFolder(box.channelId, "2026-03-01")}`;
    const revisions = () =>
      [...box.store.objects.keys()].filter((key) => key.startsWith(folder)).map(revisionOf);
    await expect.poll(() => revisions().length).toBe(1);
  });

  it("goes on where it was after a restart, and sends nothing twice", async () => {
    await boxWith();
    for (let number = 0; number < 6; number++) box.record(minute(number));
    box.run();
    await expect.poll(() => sentKeys().length, { interval: 1 }).toBeGreaterThan(2);
    await box.halt();
    box.run();
    await box.sentAll();
    // What was under way when it ended may go again.
    expect(sentKeys().length).toBeLessThanOrEqual(box.recorded.size + SENDS_MAX);
  });

  /** All of an old day is in the bucket and named, and known to be: it need not be looked through again. */
  async function settled(): Promise<void> {
    await boxWith();
    box.record(minute(0));
    box.run();
    await box.sentAll();
    await box.halt();
    const state = path.join(box.directory.join("data"), "away", box.targetId, "state.json");
    const isDone = () => box.state?.activity === "idle" && !box.state.waiting.isCounting;
    const settledDays = async () => {
      box.run();
      await expect.poll(isDone).toBe(true);
      await box.halt();
      return Object.keys(JSON.parse(readFileSync(state, "utf8")).settled).length;
    };
    // A manifest that was on its way when it ended is in the bucket, and named once more.
    await expect.poll(settledDays).toBe(1);
  }

  it("sends what came to an old day while it did not run", async () => {
    await settled();
    box.record(minute(5));
    box.run();
    await box.sentAll();
  });

  it("sends what came to an old day before the index was read in", async () => {
    await settled();
    box.isKnown = false;
    box.run();
    await expect.poll(() => box.state?.activity).toBe("starting");
    box.record(minute(5));
    box.isKnown = true;
    await box.sentAll();
  });

  it("remembers since when it sends though nothing could be sent before it ended", async () => {
    await boxWith({ plan: { ...plan, from: "now" } });
    box.store.fault = () => ({ status: 503 });
    box.record({ fromUs: Date.now() * 1000 });
    box.run();
    await expect.poll(() => box.state?.activity).toBe("failing");
    await box.halt();
    box.store.fault = () => undefined;
    box.aheadUs = US_PER_DAY;
    box.run();
    await box.sentAll();
  });

  it("sends from now on though the clock was years ahead when it began", async () => {
    await boxWith({ plan: { ...plan, from: "now" } });
    box.aheadUs = 4 * 365 * US_PER_DAY;
    box.run();
    await expect.poll(() => box.state?.activity).toBe("idle");
    await box.halt();
    box.aheadUs = 0;
    box.run();
    await expect.poll(() => box.state?.activity).toBe("idle");
    box.record({ fromUs: Date.now() * 1000 });
    await box.sentAll();
  });

  it("asks the bucket what it has where its own notes are lost", async () => {
    await boxWith();
    for (let number = 0; number < 4; number++) box.record(minute(number));
    box.run();
    await box.sentAll();
    const before = sentKeys().length;
    await box.loseState();
    box.record(minute(5));
    box.run();
    await box.sentAll();
    expect(sentKeys()).toHaveLength(before + 1);
  });

  it("forgets a day that has no recordings here any more, and sends nothing of it again", async () => {
    await boxWith();
    const old = box.record();
    box.record({ fromUs: START_US + US_PER_DAY });
    box.run();
    await box.sentAll();
    await box.removeHere(old);
    await box.halt();
    const journal = path.join(
      box.directory.join("data"),
      "away",
      box.targetId,
      box.channelId,
      "2026-03-01.log",
    );
    expect(existsSync(journal)).toBe(true);
    const before = sentKeys().length;
    box.run();
    await expect.poll(() => existsSync(journal)).toBe(false);
    await expect.poll(() => box.state?.activity).toBe("idle");
    expect(sentKeys()).toHaveLength(before);
    box.checkWhole();
  });

  it("waits while the storage fails, says so once, and when it works again", async () => {
    await boxWith();
    box.record();
    box.store.fault = () => ({ status: 503, code: "SlowDown" });
    box.run();
    await expect.poll(() => box.state?.activity).toBe("failing");
    expect(box.state?.problem).toMatch(/busy or disturbed/);
    expect(box.state?.failingUs).toBeGreaterThan(0);
    box.store.fault = () => undefined;
    await box.sentAll();
    expect(box.state?.failingUs).toBeUndefined();
    await expect.poll(() => comments(EVENT_TYPES.awayWorks)).toEqual(["Cellar"]);
    expect(comments(EVENT_TYPES.awayFailing)).toHaveLength(1);
  });

  it("tells how much retention removed before it was sent", async () => {
    await boxWith();
    const segment = box.record({ bytes: 2_500_000 });
    box.store.fault = () => ({ status: 503 });
    box.run();
    await expect.poll(() => box.state?.activity).toBe("failing");
    await box.removeHere(segment);
    box.recorded.clear();
    box.store.fault = () => undefined;
    await expect.poll(() => comments(EVENT_TYPES.awayMissed)).toEqual(["Cellar: 1 recordings, 3 MB"]);
    expect(box.state?.waiting.segments).toBe(0);
  });

  it("says nothing of what was sent before retention removed it", async () => {
    await boxWith();
    const segment = box.record();
    box.run();
    await box.sentAll();
    await box.removeHere(segment);
    box.record(minute(1));
    await box.sentAll();
    expect(comments(EVENT_TYPES.awayMissed)).toEqual([]);
  });

  it("does not give up a segment whose file is not there for a while", async () => {
    await boxWith();
    const segment = box.record();
    const file = path.join(box.directory.join("volume"), segmentPath({ ...segment }));
    rmSync(file);
    box.run();
    await expect.poll(() => box.state?.activity).toBe("idle");
    expect(box.state?.waiting.segments).toBe(1);
    expect(box.state?.problem).toBeUndefined();
  });

  it("sends nothing in hours without bandwidth, and when the month's volume is used up", async () => {
    await boxWith({ kbpsMax: 0 });
    box.record();
    box.run();
    await expect.poll(() => box.state?.activity).toBe("paused");
    expect(box.store.asked).toEqual([]);
    await box.halt();
    box.record({ ...minute(1), bytes: 3_000_000 });
    box.run({ kbpsMax: null, gbPerMonthMax: 0.002 });
    await expect.poll(() => box.state?.activity).toBe("paused");
    expect(sentKeys()).toHaveLength(1);
  });

  it("holds to its bandwidth", async () => {
    await boxWith({ kbpsMax: 8000 });
    box.record({ bytes: 1_500_000 });
    const beginMs = performance.now();
    box.run();
    await box.sentAll();
    expect(performance.now() - beginMs).toBeGreaterThan(1000);
  });

  it("sends nothing where another recorder sends, says which, and goes on in its place when that is gone for a day", async () => {
    await boxWith();
    box.record(minute(0));
    box.run();
    await box.sentAll();
    await box.loseState();
    box.serverId = "88888888-0000-4000-8000-0000000000ff";
    const { length } = box.store.asked;
    box.record(minute(1));
    box.run();
    await expect.poll(() => comments(EVENT_TYPES.awayFailing)).toHaveLength(1);
    expect(comments(EVENT_TYPES.awayFailing)[0]).toMatch(
      /the recorder Box \(88888888-.*7\) sends to this bucket and prefix, the last time at .*: use another prefix/,
    );
    expect(box.store.asked.slice(length).filter(({ method }) => method === "PUT")).toEqual([]);
    box.aheadUs += 25 * 3600 * 1e6;
    await box.sentAll();
  });

  it("finds what is missing or changed in the bucket, and sends it again while it is here", async () => {
    await boxWith();
    const segments = [0, 1, 2].map((number) => box.record(minute(number)));
    box.run();
    await box.sentAll();
    await box.halt();
    const [missing, changed, gone] = segments.map((segment) => `box/${segmentPath({ ...segment })}`);
    box.store.objects.delete(missing ?? "");
    box.store.objects.set(changed ?? "", Buffer.from("x"));
    box.store.objects.delete(gone ?? "");
    const [, , removed] = segments;
    if (removed !== undefined) await box.removeHere(removed);
    box.recorded.delete((gone ?? "").slice("box/".length));
    box.run({ auditPercent: 100 });
    await expect.poll(() => comments(EVENT_TYPES.awayDamaged).length).toBe(3);
    await box.sentAll();
    const reported = comments(EVENT_TYPES.awayDamaged).join("\n");
    expect(reported).toMatch(/is missing: it is sent again/);
    expect(reported).toMatch(/is not what was sent: it is sent again/);
    expect(reported).toMatch(/is missing: it is not here any more/);
  });

  it.each([
    ["torn", (content: Buffer) => content.subarray(0, content.length / 2)],
    [
      "of another day",
      (content: Buffer) => Buffer.from(content.toString().replace("2026-03-01", "2026-03-02")),
    ],
  ] as const)("finds a manifest that is %s, and writes it anew", async (_name, damage) => {
    await boxWith();
    for (const number of [0, 1]) box.record(minute(number));
    box.run();
    await box.sentAll();
    await box.halt();
    const key = manifests()[0] ?? "";
    box.store.objects.set(key, damage(box.store.objects.get(key) ?? Buffer.alloc(0)));
    box.run({ auditPercent: 100 });
    await expect.poll(() => comments(EVENT_TYPES.awayDamaged)).toHaveLength(1);
    await expect.poll(() => [manifests().length, box.store.objects.has(key)]).toEqual([1, false]);
    await box.sentAll();
    expect(comments(EVENT_TYPES.awayDamaged)[0]).toMatch(/manifests\/.* cannot be read: it is written anew/);
    expect(comments(EVENT_TYPES.awayFailing)).toEqual([]);
  });

  it("leaves a manifest that cannot be read where nothing is known of its day any more", async () => {
    await boxWith();
    const segment = box.record(minute(0));
    box.run();
    await box.sentAll();
    await box.loseState();
    await box.removeHere(segment);
    const key = manifests()[0] ?? "";
    box.store.objects.set(key, Buffer.from("{"));
    box.run({ auditPercent: 100 });
    await expect.poll(() => comments(EVENT_TYPES.awayDamaged)).toHaveLength(1);
    await expect.poll(() => box.state?.activity).toBe("idle");
    expect(comments(EVENT_TYPES.awayDamaged)[0]).toMatch(/cannot be read: what it named is not known here/);
    expect(manifests()).toEqual([key]);
  });
});
