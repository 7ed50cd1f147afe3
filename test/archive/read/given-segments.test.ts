import { expect, it } from "vitest";
import { AllSegments } from "../../../src/archive/read/all-segments.js";
import { ArchiveQueries } from "../../../src/archive/read/archive-queries.js";
import { GivenSegments } from "../../../src/archive/read/given-segments.js";
import type { SegmentPart } from "../../../src/archive/read/segment-order.js";
import type { SegmentSummary } from "../../../src/archive/segment/segment-summary.js";
import { type Guid, STREAM_TYPES } from "../../../src/base/index.js";
import { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import { guidOfNumber, START_US, segmentOf } from "../../support/archive/segment-fixtures.js";
import { SeededRandom } from "../../support/base/seeded-random.js";

/**
 * Recordings of a camera, and of a former one of another recorder that belong to it, both drawn by a seed: each second comes from the
 * camera where it has it, else from the former one, and is read once, in the order of time.
 */

const SECOND_US = 1_000_000;
const SECONDS = 120;
const CAMERA = guidOfNumber(1, 8);
const FORMER = guidOfNumber(2, 8);
const OWN = { channelId: CAMERA, streamTypes: STREAM_TYPES };

type Random = () => number;

/** Fragments of a stream, each of segments of some seconds; now and then another epoch begins. */
function recorded(channelId: Guid, random: Random, firstId: number): SegmentSummary[] {
  const segments: SegmentSummary[] = [];
  let epoch = Math.floor(random() * 4);
  let id = firstId;
  let at = Math.floor(random() * 20);
  for (let fragment = 1; at < SECONDS; fragment++) {
    const count = 1 + Math.floor(random() * 4);
    for (let sequence = 0; sequence < count; sequence++) {
      const length = 1 + Math.floor(random() * 6);
      const shape = { fragment: firstId + fragment, sequence, epoch, fromUs: START_US + at * SECOND_US };
      const segment = segmentOf({ ...shape, durationUs: length * SECOND_US, segmentId: id++ });
      segments.push({ ...segment, key: { channelId, streamType: "Main" } });
      at += length;
    }
    if (random() < 0.4) at += Math.floor(random() * 15);
    if (random() < 0.3) epoch += 1 + Math.floor(random() * 2);
  }
  return segments;
}

/** Who has each second: "C" the camera, "F" the former one, "." nobody. */
function expected(own: readonly SegmentSummary[], given: readonly SegmentSummary[]): string {
  const has = (segments: readonly SegmentSummary[], second: number): boolean => {
    const timeUs = START_US + second * SECOND_US;
    return segments.some(({ fromUs, toUs }) => fromUs <= timeUs && timeUs < toUs);
  };
  const who = (second: number): string => (has(own, second) ? "C" : has(given, second) ? "F" : ".");
  return Array.from({ length: SECONDS + 60 }, (_, second) => who(second)).join("");
}

/** The same as a reader gets it, from a second on. Throws where a second comes twice, or after a later one. */
function asRead(queries: ArchiveQueries, fromSecond: number): string {
  const order = queries.order(OWN);
  const seconds = Array.from({ length: SECONDS + 60 }, () => ".");
  let before = -1;
  let part: SegmentPart | undefined = order.first(START_US + fromSecond * SECOND_US);
  while (part !== undefined) {
    const { segment, startUs = segment.fromUs, untilUs } = part;
    const { key, segmentId, epoch, fromUs, toUs } = segment;
    const endUs = Math.min(toUs, untilUs);
    for (let timeUs = startUs; timeUs < endUs; timeUs += SECOND_US) {
      const second = (timeUs - START_US) / SECOND_US;
      if (second <= before) throw new Error(`second ${second} after ${before}`);
      seconds[second] = key.channelId === CAMERA ? "C" : "F";
      before = second;
    }
    part = order.after({ key, segmentId, epoch, fromUs, endedUs: Math.max(endUs, startUs) });
  }
  return seconds.join("");
}

function asListed(queries: ArchiveQueries): string {
  const seconds = Array.from({ length: SECONDS + 60 }, () => false);
  for (const { fromUs, toUs } of queries.fragments(OWN, START_US, START_US + seconds.length * SECOND_US))
    for (let timeUs = fromUs; timeUs < toUs; timeUs += SECOND_US) {
      const second = (timeUs - START_US) / SECOND_US;
      if (seconds[second] === true) throw new Error(`second ${second} is listed twice`);
      seconds[second] = true;
    }
  return seconds.map((isThere) => (isThere ? "x" : ".")).join("");
}

it.each(Array.from({ length: 60 }, (_, seed) => seed))("seed %d", (seed) => {
  const draw = new SeededRandom(seed);
  const random: Random = () => draw.next();
  const own = recorded(CAMERA, random, 1000);
  const given = recorded(FORMER, random, 2000);
  const all = new AllSegments(new MemorySegmentIndex([...own, ...given]));
  const ownerOf = (id: Guid): Guid => (id === FORMER ? CAMERA : id);
  const familyOf = (id: Guid): readonly Guid[] => (id === CAMERA ? [CAMERA, FORMER] : [id]);
  const segments = new GivenSegments({
    all,
    ownerOf,
    familyOf,
    epoch: () => Math.max(...own.map(({ epoch }) => epoch)),
  });
  const queries = new ArchiveQueries(segments, familyOf);
  const who = expected(own, given);
  expect(asListed(queries)).toBe(who.replaceAll(/[CF]/g, "x"));
  for (const from of [0, Math.floor(random() * SECONDS)])
    expect(asRead(queries, from)).toBe(".".repeat(from) + who.slice(from));
  for (const segment of given) {
    const placed = segments.seek(segment.key, segment.fromUs);
    expect(placed === undefined ? undefined : segments.asRecorded(placed).epoch).toBe(segment.epoch);
  }
});
