import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { LmdbSegmentIndex, SegmentSummary } from "../../../src/archive/index.js";
import { type StreamKey, US_PER_DAY } from "../../../src/base/index.js";
import { openIndex, scratchDirectory } from "../../support/archive/index-harness.js";
import {
  openSegmentOf,
  START_US,
  segmentOf,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { SegmentModel } from "../../support/archive/segment-model.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());

const STEP_US = 7_000_000;
const STREAMS = [1, 2];
const VOLUMES = [1, 2, 3];
let runs = 0;

/** Records two streams by turns: each action is one thing that a recorder, retention or a restart does. */
class Player {
  readonly model = new SegmentModel();
  index: LmdbSegmentIndex;
  readonly #directory: string;
  readonly #streams = new Map(
    STREAMS.map((stream) => [
      stream,
      { toUs: START_US + stream, fragment: stream * 1000, sequence: 0, epoch: 0 },
    ]),
  );
  readonly #withheld: SegmentSummary[] = [];
  #open: SegmentSummary[] = [];

  constructor(directory: string, index: LmdbSegmentIndex) {
    this.#directory = directory;
    this.index = index;
  }

  next(stream: number, length: number): SegmentSummary {
    const state = this.#streams.get(stream) ?? { toUs: START_US, fragment: 0, sequence: 0, epoch: 0 };
    segmentId += 1;
    const segment = segmentOf({
      stream,
      fragment: state.fragment,
      sequence: state.sequence,
      epoch: state.epoch,
      fromUs: state.toUs,
      durationUs: length * STEP_US,
      volume: volumeOf(length),
      gopUs: length % 3 === 0 ? 2_000_000 : 5_000_000,
      segmentId,
    });
    this.#streams.set(stream, { ...state, toUs: segment.toUs, sequence: state.sequence + 1 });
    return segment;
  }

  record(stream: number, length: number, late: boolean): void {
    this.#closeOpen(stream);
    const segment = this.next(stream, length);
    if (late) {
      this.#withheld.push(segment);
      return;
    }
    this.#add(segment);
  }

  open(stream: number, length: number): void {
    this.#closeOpen(stream);
    const segment = this.next(stream, length);
    this.#open.push(segment);
    this.model.segments.set(segment.segmentId, segment);
    this.index.trackOpen({ ...openSegmentOf(), ...segment });
  }

  gap(stream: number, steps: number, stepsBack: boolean): void {
    const state = this.#streams.get(stream);
    if (state === undefined) return;
    this.#streams.set(stream, {
      toUs: state.toUs + (stepsBack ? -1 : 1) * steps * 1_000_000,
      fragment: state.fragment + 1,
      sequence: 0,
      epoch: state.epoch + (stepsBack ? 1 : 0),
    });
  }

  recoverLate(): void {
    for (const segment of this.#withheld.splice(0)) this.#add(segment);
  }

  async removeOldest(count: number): Promise<void> {
    await this.index.flush();
    const oldest = this.index.oldest(count);
    await this.index.remove(oldest);
    for (const segment of oldest) this.model.segments.delete(segment.segmentId);
    this.index.unlinked(this.index.pendingUnlinks());
  }

  async removeAt(position: number): Promise<void> {
    await this.index.flush();
    const all = this.index.oldest(10_000);
    const segment = all[position % Math.max(1, all.length)];
    if (segment === undefined) return;
    await this.index.remove([segment]);
    this.model.segments.delete(segment.segmentId);
  }

  /** A segment goes to another volume, committed or not. */
  moveAt(position: number): void {
    const all = [...this.model.segments.values()].filter((one) => this.index.closed(one) !== undefined);
    const segment = all[position % Math.max(1, all.length)];
    if (segment === undefined) return;
    const volumeId = volumeOfNumber(VOLUMES[position % VOLUMES.length] ?? 1);
    if (volumeId === segment.volumeId) return;
    expect(this.index.move({ ...segment, volumeId }, segment)).toBe(false); // it is not there
    if (!this.index.move(segment, { ...segment, volumeId })) return; // an earlier file there is still to be removed
    this.model.segments.set(segment.segmentId, { ...segment, volumeId });
  }

  async restart(): Promise<void> {
    for (const stream of STREAMS) this.#closeOpen(stream);
    await this.index.stop();
    this.index = await openIndex(this.#directory);
  }

  compare(offset: number): void {
    for (const stream of STREAMS) {
      const key = streamOfNumber(stream);
      const all = this.model.of(key);
      const anchor = all[offset % Math.max(1, all.length)];
      const times = [START_US, START_US + offset * 1_000_000, 0, Number.MAX_SAFE_INTEGER];
      if (anchor !== undefined) times.push(anchor.fromUs, anchor.toUs, anchor.toUs - 1, anchor.fromUs - 1);
      for (const timeUs of times) {
        expect(this.index.seek(key, timeUs)?.segmentId).toBe(this.model.seek(key, timeUs)?.segmentId);
        const nearest = this.index.nearestKeyFrameUs(key, timeUs);
        const expected = this.model.nearestKeyFrameUs(key, timeUs);
        expect(distance(nearest, timeUs)).toBe(distance(expected, timeUs));
        const toUs = timeUs + (offset % 50) * 1_000_000;
        expect(this.index.fragments(key, timeUs, toUs)).toEqual(this.model.fragments(key, timeUs, toUs));
        this.#compareClosed(key, timeUs, toUs);
      }
      expect(this.index.fragments(key, 0, Number.MAX_SAFE_INTEGER)).toEqual(
        this.model.fragments(key, 0, Number.MAX_SAFE_INTEGER),
      );
      expect(this.index.newest(key)?.segmentId).toBe(this.model.newest(key)?.segmentId);
      if (anchor !== undefined) {
        expect(this.index.following(key, anchor)?.segmentId).toBe(
          this.model.following(key, anchor)?.segmentId,
        );
      }
    }
    const streams = STREAMS.map(streamOfNumber).filter((key) => this.model.of(key).length > 0);
    expect(new Set(this.index.streams())).toEqual(new Set(streams));
    for (const volume of VOLUMES) {
      const volumeId = volumeOfNumber(volume);
      const on = [...this.model.segments.values()].filter((segment) => segment.volumeId === volumeId);
      expect(this.index.volumeBytes(volumeId)).toBe(on.reduce((sum, { bytes }) => sum + bytes, 0));
    }
  }

  #compareClosed(key: StreamKey, fromUs: number, toUs: number): void {
    const isOpen = (segment: SegmentSummary) => this.#open.some((s) => s.segmentId === segment.segmentId);
    const closed = this.model.of(key).filter((segment) => !isOpen(segment));
    const isBetween = (segment: SegmentSummary) => segment.fromUs < toUs && segment.toUs > fromUs;
    const between = fromUs < toUs ? closed.filter(isBetween) : [];
    const found = [...this.index.stored.closedBetween(key, fromUs, toUs)];
    expect(new Set(ids(found))).toEqual(new Set(ids(between)));
    expect(found).toHaveLength(between.length);
    const day = Math.floor(START_US / US_PER_DAY);
    const ofDay = closed.filter((segment) => Math.floor(segment.fromUs / US_PER_DAY) === day);
    expect(this.index.dayTotal(key, day)).toEqual({
      segments: ofDay.length,
      bytes: ofDay.reduce((sum, { bytes }) => sum + bytes, 0),
      durationUs: ofDay.reduce((sum, segment) => sum + segment.toUs - segment.fromUs, 0),
    });
    for (const volume of VOLUMES) {
      const volumeId = volumeOfNumber(volume);
      for (const at of [
        { epoch: 0, fromUs: -1 },
        { epoch: 0, fromUs },
        { epoch: 1, fromUs: toUs },
      ]) {
        const behind = (s: SegmentSummary) =>
          s.epoch > at.epoch || (s.epoch === at.epoch && s.fromUs > at.fromUs);
        const expected = closed.find((segment) => segment.volumeId === volumeId && behind(segment));
        const next = this.index.stored.followingOn(volumeId, key, at);
        expect(next?.segmentId).toBe(expected?.segmentId);
      }
    }
  }

  #add(segment: SegmentSummary): void {
    this.index.add(segment);
    this.model.segments.set(segment.segmentId, segment);
  }

  #closeOpen(stream: number): void {
    const key = streamOfNumber(stream);
    const mine = this.#open.filter((segment) => segment.key.channelId === key.channelId);
    for (const segment of mine) this.index.add(segment);
    this.#open = this.#open.filter((segment) => !mine.includes(segment));
  }
}

let segmentId = START_US;

/** Now and then a stream records on the other volume, in the middle of a fragment too. */
function volumeOf(length: number): number {
  return length % 4 === 0 ? 2 : 1;
}

function ids(segments: readonly SegmentSummary[]): number[] {
  return segments.map((segment) => segment.segmentId);
}

function distance(a: number | undefined, b: number): number | undefined {
  return a === undefined ? undefined : Math.abs(a - b);
}

const stream = fc.constantFrom(...STREAMS);
const small = fc.integer({ min: 1, max: 12 });
const action = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant("record" as const), stream, small, fc.boolean()) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("open" as const), stream, small, fc.boolean()) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant("gap" as const), stream, fc.integer({ min: 1, max: 2000 }), fc.boolean()),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant("recover" as const), stream, small, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("flush" as const), stream, small, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("trim" as const), stream, small, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("remove" as const), stream, small, fc.boolean()) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("move" as const), stream, fc.nat(400), fc.boolean()) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("compare" as const), stream, fc.nat(400), fc.boolean()) },
);

async function play(
  player: Player,
  [kind, stream, number, flag]: [string, number, number, boolean],
): Promise<void> {
  if (kind === "record") player.record(stream, number, flag && number < 4);
  else if (kind === "open") player.open(stream, number);
  else if (kind === "gap") player.gap(stream, number, flag && number < 300);
  else if (kind === "recover") player.recoverLate();
  else if (kind === "flush") await player.index.flush();
  else if (kind === "trim") await player.removeOldest(number);
  else if (kind === "move") player.moveAt(number);
  else if (kind === "remove") await player.removeAt(number * 7);
  else player.compare(number);
}

/** `npm run torture -- models` asks for more. */
const RUNS = Number(process.env.NVRD_TEST_MODEL_RUNS ?? 5);

test(
  "the index answers as a plain list of segments would, through adds, removals, moves and commits",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 60 }), async (actions) => {
        runs += 1;
        const directory = path.join(scratch.path, `index-${runs}`);
        const player = new Player(directory, await openIndex(directory));
        for (const step of actions) await play(player, step);
        player.compare(3);
        await player.restart();
        player.compare(5);
        player.recoverLate();
        player.compare(7);
        await player.index.stop();
      }),
      { numRuns: RUNS },
    );
  },
  120_000 + RUNS * 10_000,
);
