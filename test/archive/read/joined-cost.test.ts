import { expect, it } from "vitest";
import { JoinedStretches } from "../../../src/archive/read/joined-stretches.js";
import type { SegmentIndex } from "../../../src/archive/segment/segment-index.js";
import type { RecordedStretch } from "../../../src/archive/segment/types.js";
import { newGuid, type StreamKey } from "../../../src/base/index.js";

/** What a moment of years of recordings costs: rows that the index hands out. */

const CHANGES = 5000;
const HOUR_US = 3_600_000_000;
const channelId = newGuid();
const KEYS: readonly StreamKey[] = (["Main", "Alternative", "SecondAlternative"] as const).map(
  (streamType) => ({ channelId, streamType }),
);

/** Hours of recording, the streams in turn, each an overlap of a second with the one before. */
function index() {
  const stretches = new Map<string, RecordedStretch[]>(KEYS.map(({ streamType }) => [streamType, []]));
  for (let hour = 0; hour < CHANGES; hour++) {
    const of = KEYS[hour % KEYS.length]?.streamType ?? "Main";
    const fromUs = hour * HOUR_US;
    stretches.get(of)?.push({ id: newGuid(), epoch: 0, fromUs, toUs: fromUs + HOUR_US + 1_000_000 });
  }
  const counted = { rows: 0, calls: 0 };
  const of = (key: StreamKey): readonly RecordedStretch[] => stretches.get(key.streamType) ?? [];
  const queries: Pick<SegmentIndex, "stretches" | "following" | "seek" | "last"> = {
    stretches: (key, fromUs, toUs) => {
      const found = of(key).filter((one) => one.fromUs < toUs && one.toUs > fromUs);
      counted.rows += found.length;
      counted.calls += 1;
      return found;
    },
    following: () => undefined,
    seek: () => undefined,
    // The key frame nearest before is not what this test is about: streams take over where they are asked to.
    last: () => undefined,
  };
  return { counted, queries };
}

it.each([0, CHANGES / 2, CHANGES - 1])(
  "looks at a few rows around hour %d, however many there are",
  (hour) => {
    const { counted, queries } = index();
    const joined = new JoinedStretches(queries, KEYS);
    const found = joined.from({ epoch: 0, timeUs: hour * HOUR_US + HOUR_US / 2 });
    expect(found).toMatchObject({ key: KEYS[hour % KEYS.length], epoch: 0 });
    expect(counted.rows).toBeLessThanOrEqual(10);
    expect(counted.calls).toBeLessThanOrEqual(2 * KEYS.length);
  },
);

it("reads each row of an interval twice at the most, and lists them without a gap", () => {
  const { counted, queries } = index();
  const found = new JoinedStretches(queries, KEYS).overlapping(0, CHANGES * HOUR_US);
  expect(found).toHaveLength(CHANGES);
  expect(found.slice(1).every(({ fromUs }, at) => fromUs === found[at]?.toUs)).toBe(true);
  expect(counted.rows).toBeLessThanOrEqual(2 * CHANGES);
});
