import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import {
  type ChannelDays,
  DAYS_INTERVAL_MS,
  type LmdbSegmentIndex,
  type Retention,
  type SegmentSummary,
} from "../../../src/archive/index.js";
import { type Guid, streamKeyText } from "../../../src/base/index.js";
import { openIndex, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { makeRetention, NO_DAYS } from "../../support/archive/retention-harness.js";
import { segmentOf, streamOfNumber, volumeOfNumber } from "../../support/archive/segment-fixtures.js";
import { SIMULATED_START_US, SimulatedClock } from "../../support/base/simulated-clock.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const SEGMENT_US = 8 * 60_000_000;
const STREAMS = 4;
const VOLUMES = [1, 2];
const SEGMENT_BYTES = 1000;
let runs = 0;

interface Span {
  readonly channelId: Guid;
  readonly fromUs: number;
  readonly toUs: number;
}

/** Two volumes, four channels, whose recordings, settings and protections change between the turns of retention. */
class Site {
  readonly clock = new SimulatedClock(SIMULATED_START_US);
  readonly volumes = VOLUMES.map((number) => new MemoryVolume(volumeOfNumber(number)));
  readonly index: LmdbSegmentIndex;
  readonly retention: Retention;
  readonly #days = new Map<Guid, ChannelDays>();
  readonly #quotas = new Map<Guid, number>();
  #spans: Span[] = [];
  readonly #withheld: SegmentSummary[] = [];
  #fragments = 0;

  constructor(index: LmdbSegmentIndex) {
    this.index = index;
    const made = makeRetention({
      index,
      volumes: this.volumes,
      directory: scratch.path,
      clock: this.clock,
      quotaOf: ({ id }) => ({ quotaBytes: this.#quotas.get(id) ?? 1e9 }),
      options: {
        daysOf: (channelId) => this.#daysOf(channelId),
        protectedUntil: (channelId, fromUs, toUs) => this.#protectedUntil(channelId, fromUs, toUs),
      },
    });
    made.days.start();
    this.retention = made.retention;
  }

  /** Some hours of a stream on a volume, up to now. `late`: the index gets the first half of it later, as after a crash. */
  async record(stream: number, count: number, volume: number, late: boolean): Promise<void> {
    const fragment = ++this.#fragments;
    for (let sequence = 0; sequence < count; sequence++) {
      const fromUs = this.clock.nowUs();
      this.clock.advance(SEGMENT_US);
      const segment = segmentOf({
        ...{ stream, volume: volume + 1, fragment, sequence, fromUs, durationUs: SEGMENT_US },
        ...{ gopUs: SEGMENT_US, bytes: SEGMENT_BYTES, segmentId: fromUs + stream },
      });
      if (late && sequence < count / 2) this.#withheld.push(segment);
      else this.#add(segment);
    }
    await this.index.flush();
  }

  /** The index gets what was withheld. */
  async recover(): Promise<void> {
    for (const segment of this.#withheld.splice(0)) this.#add(segment);
    await this.index.flush();
  }

  /** Hours pass, with the looks at the clock that a running service takes. */
  async pass(us: number): Promise<void> {
    const endUs = this.clock.nowUs() + us;
    while (this.clock.nowUs() < endUs) {
      this.clock.advance(Math.min(HOUR_US / 2, endUs - this.clock.nowUs()));
      await this.checkedTurn();
    }
  }

  setDays(stream: number, minDays: number, maxDays: number): void {
    const bounded = maxDays === 0 ? 0 : Math.max(minDays, maxDays);
    this.#days.set(streamOfNumber(stream).channelId, { minDays, maxDays: bounded });
  }

  setQuota(volume: number, segments: number): void {
    this.#quotas.set(volumeOfNumber(volume + 1), segments * SEGMENT_BYTES);
  }

  protect(stream: number, hoursAgo: number, hours: number): void {
    const { channelId } = streamOfNumber(stream);
    const fromUs = this.clock.nowUs() - hoursAgo * HOUR_US;
    this.#spans.push({ channelId, fromUs, toUs: fromUs + hours * HOUR_US });
  }

  lift(at: number): void {
    this.#spans = this.#spans.filter((_, position) => position !== at % this.#spans.length);
  }

  /** A turn that looks at the days too, and what must hold of what it removed. */
  async checkedTurn(): Promise<void> {
    this.clock.advance(DAYS_INTERVAL_MS * 1000);
    const before = this.#segments();
    await this.retention.turn();
    const left = this.#segments();
    const kept = new Set(left.map((segment) => segment.segmentId));
    const removed = before.filter((segment) => !kept.has(segment.segmentId));
    for (const segment of removed) expect(this.#isProtected(segment)).toBe(false);
    this.#checkOrder(left, removed);
    this.#checkDays(left, removed);
    for (const volume of this.volumes) this.#checkBounds(volume);
  }

  /** No younger segment of a stream on a volume goes before an older one that could have gone. */
  #checkOrder(left: readonly SegmentSummary[], removed: readonly SegmentSummary[]): void {
    const newestGone = new Map<string, number>();
    const name = (s: SegmentSummary) => `${s.volumeId} ${streamKeyText(s.key)}`;
    for (const s of removed) newestGone.set(name(s), Math.max(newestGone.get(name(s)) ?? 0, s.fromUs));
    for (const s of left) {
      if (this.#isProtected(s)) continue;
      expect(s.fromUs).toBeGreaterThan(newestGone.get(name(s)) ?? 0);
    }
  }

  #checkDays(left: readonly SegmentSummary[], removed: readonly SegmentSummary[]): void {
    const nowUs = this.clock.nowUs();
    const isTooOld = (s: SegmentSummary) => {
      const { maxDays } = this.#daysOf(s.key.channelId);
      return maxDays > 0 && s.toUs < nowUs - maxDays * DAY_US;
    };
    for (const s of left) if (!this.#isProtected(s)) expect(isTooOld(s)).toBe(false);
    for (const { volumeId } of removed.filter((s) => this.#isWithinMinDays(s))) {
      const spared = left.filter((s) => s.volumeId === volumeId && !this.#isProtected(s));
      for (const s of spared) expect(this.#isWithinMinDays(s)).toBe(true);
    }
    // No more goes for room than the headroom for what grows: half of the bound at the most.
    for (const volume of this.volumes) {
      const forRoom = removed.filter((s) => s.volumeId === volume.id && !isTooOld(s));
      if (forRoom.length === 0) continue;
      this.#checkOldestFirst(
        left.filter((s) => s.volumeId === volume.id),
        forRoom,
      );
      const quotaBytes = this.#quotas.get(volume.id) ?? 1e9;
      expect(volume.bytes).toBeGreaterThan(quotaBytes / 2 - 2 * SEGMENT_BYTES);
    }
  }

  /** Of those that had to make room on a volume the oldest went first, across all streams. */
  #checkOldestFirst(left: readonly SegmentSummary[], forRoom: readonly SegmentSummary[]): void {
    for (const isWithin of [false, true]) {
      const gone = forRoom.filter((s) => this.#isWithinMinDays(s) === isWithin);
      const newestUs = Math.max(0, ...gone.map((s) => s.fromUs));
      const others = left.filter((s) => !this.#isProtected(s) && this.#isWithinMinDays(s) === isWithin);
      for (const s of others) expect(s.fromUs).toBeGreaterThanOrEqual(newestUs);
    }
  }

  #add(segment: SegmentSummary): void {
    this.index.add(segment);
    this.volumes.find(({ id }) => id === segment.volumeId)?.put(segment);
  }

  #checkBounds(volume: MemoryVolume): void {
    expect(this.index.volumeBytes(volume.id)).toBe(volume.bytes);
    const quotaBytes = this.#quotas.get(volume.id) ?? 1e9;
    const removable = [...volume.files.values()].filter((segment) => !this.#isProtected(segment));
    if (removable.length > 0) expect(volume.bytes).toBeLessThanOrEqual(quotaBytes);
  }

  #segments(): SegmentSummary[] {
    return this.volumes.flatMap((volume) => [...volume.files.values()]);
  }

  #daysOf(channelId: Guid): ChannelDays {
    return this.#days.get(channelId) ?? NO_DAYS;
  }

  #isWithinMinDays({ key, toUs }: SegmentSummary): boolean {
    const { minDays } = this.#daysOf(key.channelId);
    return minDays > 0 && toUs >= this.clock.nowUs() - minDays * DAY_US;
  }

  #isProtected({ key, fromUs, toUs }: SegmentSummary): boolean {
    return this.#protectedUntil(key.channelId, fromUs, toUs) !== undefined;
  }

  #protectedUntil(channelId: Guid, fromUs: number, toUs: number): number | undefined {
    const over = this.#spans.filter((s) => s.channelId === channelId && s.fromUs < toUs && s.toUs > fromUs);
    return over.length === 0 ? undefined : Math.max(...over.map((span) => span.toUs));
  }
}

const stream = fc.integer({ min: 1, max: STREAMS });
const volume = fc.constantFrom(0, 1);
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constant("record" as const), stream, fc.integer({ min: 1, max: 40 }), fc.nat(3)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant("pass" as const), stream, fc.integer({ min: 1, max: 30 }), volume),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant("days" as const), stream, fc.integer({ min: 0, max: 5 }), fc.nat(7)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant("quota" as const), stream, fc.integer({ min: 10, max: 150 }), volume),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant("protect" as const), stream, fc.nat(60), fc.nat(20)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("recover" as const), stream, fc.nat(1), volume) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("lift" as const), stream, fc.nat(10), volume) },
  { weight: 4, arbitrary: fc.tuple(fc.constant("turn" as const), stream, fc.nat(1), volume) },
);

const histories: fc.Arbitrary<[string, number, number, number][]> = fc.array(action, {
  minLength: 4,
  maxLength: 25,
});

/** Once the younger of two segments that came late went before the older. */
const CAME_LATE: [string, number, number, number][] = [
  ["protect", 3, 0, 0],
  ["record", 3, 5, 1],
  ["quota", 1, 10, 1],
  ["record", 1, 3, 3],
  ["recover", 1, 0, 0],
  ["turn", 1, 0, 0],
];

async function play(site: Site, [kind, stream, a, b]: [string, number, number, number]): Promise<void> {
  if (kind === "record") await site.record(stream, a, b % 2, b > 1);
  else if (kind === "pass") await site.pass(a * HOUR_US);
  else if (kind === "days") site.setDays(stream, a, b);
  else if (kind === "quota") site.setQuota(b, a);
  else if (kind === "protect") site.protect(stream, a, b + 1);
  else if (kind === "lift") site.lift(a);
  else if (kind === "recover") await site.recover();
  await site.checkedTurn();
}

test("after each turn the bounds hold, protected recordings are there, and the oldest that may go went first", {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (actions) => {
      runs += 1;
      const index = await openIndex(path.join(scratch.path, `index-${runs}`));
      const site = new Site(index);
      site.setDays(1, 3, 0);
      site.setDays(2, 1, 4);
      site.setQuota(0, 60);
      site.setQuota(1, 90);
      for (const step of actions) await play(site, step);
      await index.stop();
    }),
    { numRuns: Number(process.env.NVRD_TEST_MODEL_RUNS ?? 10), examples: [[CAME_LATE]] },
  );
});
