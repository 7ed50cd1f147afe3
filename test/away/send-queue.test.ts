import { describe, expect, it } from "vitest";
import { LmdbSegmentIndex } from "../../src/archive/index.js";
import { dayOf } from "../../src/away/plan/sent-segment.js";
import { SendQueue, type SendQueueOptions } from "../../src/away/send-queue.js";
import { US_PER_DAY } from "../../src/base/index.js";
import { AWAY_PLAN_DEFAULT } from "../../src/site/index.js";
import { MemorySegmentIndex } from "../support/archive/memory-segment-index.js";
import { MINUTE_US, START_US, segmentOf } from "../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { silentLog } from "../support/site/site-samples.js";

const plan = { ...AWAY_PLAN_DEFAULT, content: "everything", from: "oldest" } as const;

/** A queue over an index, whose days are over; counts how often the journal of a day is asked for. */
function queueOver(
  index: SendQueueOptions["index"],
  settled = new Map<string, string>(),
  channelIds = [segmentOf({ stream: 2, sequence: 1 }).key.channelId],
) {
  const sent = new Set<number>();
  const asked: string[] = [];
  const queue = new SendQueue({
    index,
    channels: () => channelIds.map((channelId) => ({ channelId, plan, sinceUs: 0 })),
    protectedRanges: () => [],
    events: {
      async *moments() {
        // Nothing happened.
      },
    },
    sentOf: async (_channelId, day) => {
      asked.push(day);
      return { has: (segmentId) => sent.has(segmentId), isNamed: true };
    },
    settled: {
      get: (name) => settled.get(name),
      set: (name, wanted) => void (wanted === undefined ? settled.delete(name) : settled.set(name, wanted)),
      retain: () => undefined,
    },
    nowUs: () => START_US + 30 * US_PER_DAY,
    monotonicUs: () => 0,
  });
  return { queue, sent, asked, settled };
}

const segment = (sequence: number) =>
  segmentOf({ stream: 2, sequence, fromUs: START_US + sequence * MINUTE_US });

describe("the queue of recordings off the box", () => {
  it("does not look a day through again that was sent, whole", async () => {
    const index = new MemorySegmentIndex([segment(1)]);
    const before = queueOver(index);
    before.sent.add(segment(1).segmentId);
    await before.queue.refresh();
    expect(await before.queue.next()).toBeUndefined();
    const after = queueOver(index, before.settled);
    await after.queue.refresh();
    expect(await after.queue.next()).toBeUndefined();
    expect(after.asked).toEqual([]);
  });

  it("looks it through when it has other recordings, whoever was there to hear of it", async () => {
    const index = new MemorySegmentIndex([segment(1)]);
    const { queue, sent, settled } = queueOver(index);
    sent.add(segment(1).segmentId);
    await queue.refresh();
    await queue.next();
    index.add(segment(2));
    await index.flush();
    const after = queueOver(index, settled);
    after.sent.add(segment(1).segmentId);
    await after.queue.refresh();
    expect((await after.queue.next())?.segmentId).toBe(segment(2).segmentId);
  });

  it("gives others their turn while it finds days, and keeps what they tell it meanwhile", async () => {
    const index = new MemorySegmentIndex([segment(1)]);
    const { key } = segment(1);
    const { queue } = queueOver(index, new Map(), [key.channelId, segmentOf({ stream: 4 }).key.channelId]);
    let turns = 0;
    setImmediate(() => turns++);
    const refreshing = queue.refresh();
    // Recorded after its camera was looked at.
    const later = segmentOf({ stream: 2, sequence: 2, fromUs: START_US + 3 * US_PER_DAY });
    index.add(later);
    await index.flush();
    queue.note(later);
    await refreshing;
    expect(turns).toBe(1);
    expect((await queue.next())?.segmentId).toBe(later.segmentId);
  });

  it("looks up what was recorded since, and not the rest of the day again", async () => {
    const index = new CountingIndex([1, 2, 3, 4, 5, 6, 7, 8].map(segment));
    const { queue } = queueOver(index);
    await queue.refresh();
    expect((await queue.next())?.segmentId).toBe(segment(8).segmentId);
    index.lookups = 0;
    index.add(segment(9));
    await index.flush();
    queue.note(segment(9));
    expect((await queue.next())?.segmentId).toBe(segment(9).segmentId);
    expect(queue.size().segments).toBe(9);
    // For each of the four streams the first one, and what follows it.
    expect(index.lookups).toBeLessThan(8);
    await index.remove([segment(2)]);
    queue.note(segment(2));
    await queue.next();
    expect(queue.size().segments).toBe(8);
  });

  it("looks nothing up for a recording that it is notified of", async () => {
    const index = new CountingIndex([1, 2, 3].map(segment));
    const { queue, settled } = queueOver(index);
    await queue.refresh();
    await queue.next();
    index.lookups = 0;
    settled.set(`${segment(4).key.channelId}/2026-03-01`, "all of it was sent");
    for (const sequence of [5, 4]) announceSegment(queue, segment(sequence));
    expect(queue.size().isCounting).toBe(true);
    expect((await queue.next())?.segmentId).toBe(segment(5).segmentId);
    expect(queue.size()).toMatchObject({ segments: 5, isCounting: false });
    expect(queue.isSettled(segment(4).key.channelId, dayOf(segment(4).fromUs))).toBe(false);
    expect(settled.size).toBe(0);
    for (const sequence of [5, 4, 3]) {
      const next = await queue.next();
      expect(next?.segmentId).toBe(segment(sequence).segmentId);
      if (next !== undefined) queue.remove(next);
    }
    expect(index.lookups).toBe(0);
  });

  it("does not send what was removed before it was chosen", async () => {
    const index = new MemorySegmentIndex([1, 2].map(segment));
    const { queue } = queueOver(index);
    await queue.refresh();
    await queue.next();
    announceSegment(queue, segment(3));
    queue.note(segment(3)); // removed: the index has never had it
    expect((await queue.next())?.segmentId).toBe(segment(2).segmentId);
    expect(queue.size().segments).toBe(2);
  });

  it("lists a recording once that is reported twice, and one that was sent not at all", async () => {
    const index = new MemorySegmentIndex([1].map(segment));
    const { queue, sent } = queueOver(index);
    await queue.refresh();
    await queue.next();
    sent.add(segment(3).segmentId);
    for (const sequence of [2, 2, 3]) announceSegment(queue, segment(sequence));
    expect((await queue.next())?.segmentId).toBe(segment(2).segmentId);
    expect(queue.size().segments).toBe(2);
  });

  it("looks the day through when more is recorded than it remembers while nothing goes", async () => {
    const index = new MemorySegmentIndex([segment(1)]);
    const { queue } = queueOver(index);
    await queue.refresh();
    await queue.next();
    const later = Array.from({ length: 100 }, (_, at) => segment(2 + at));
    for (const one of later) index.add(one);
    await index.flush();
    for (const one of later) announceSegment(queue, one);
    expect((await queue.next())?.segmentId).toBe(segment(101).segmentId);
    expect(queue.size().segments).toBe(101);
  });

  it("finds what was recorded since in an index as the recorder has it", async () => {
    const index = new LmdbSegmentIndex({ directory: "none", clock: new SimulatedClock(), log: silentLog });
    index.add(segment(1));
    const { queue } = queueOver(index);
    await queue.refresh();
    expect((await queue.next())?.segmentId).toBe(segment(1).segmentId);
    for (const sequence of [2, 3]) {
      index.add(segment(sequence));
      queue.note(segment(sequence));
      expect((await queue.next())?.segmentId).toBe(segment(sequence).segmentId);
    }
    expect(queue.size().segments).toBe(3);
  });

  it("begins with what it knows while the days of many cameras are looked through", async () => {
    const cameras = Array.from({ length: 40 }, (_one, at) =>
      segmentOf({ stream: 2 + 2 * at, sequence: 1, fromUs: START_US + at * MINUTE_US }),
    );
    const index = new MemorySegmentIndex(cameras);
    const { queue, asked } = queueOver(
      index,
      new Map(),
      cameras.map(({ key }) => key.channelId),
    );
    await queue.refresh();
    expect(await queue.next()).toBeDefined();
    expect(asked).toHaveLength(16);
    expect(queue.size().isCounting).toBe(true);
    for (let count = 0; count < 2; count++) await queue.next();
    expect(asked).toHaveLength(40);
    expect(queue.size()).toMatchObject({ segments: 40, isCounting: false });
    expect((await queue.next())?.fromUs).toBe(cameras.at(-1)?.fromUs);
  });
});

/** Tells of a recording that was added. */
function announceSegment(queue: SendQueue, added: ReturnType<typeof segmentOf>): void {
  const { key, fromUs, toUs } = added;
  queue.note({ key, fromUs, toUs, added });
}

/** Counts how often it is asked for what follows. */
class CountingIndex extends MemorySegmentIndex {
  lookups = 0;

  override following(...asked: Parameters<MemorySegmentIndex["following"]>) {
    this.lookups += 1;
    return super.following(...asked);
  }
}
