import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import type { RetentionIndex, RetentionOptions } from "../../../src/archive/index.js";
import type { SegmentSummary } from "../../../src/archive/segment/segment-summary.js";
import { brokenInvariants } from "../../../src/base/index.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { makeRetention } from "../../support/archive/retention-harness.js";
import { segmentOf, volumeOfNumber } from "../../support/archive/segment-fixtures.js";

const scratch = mkdtempSync(path.join(tmpdir(), "nvrd-removal-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const OWN = volumeOfNumber(1);

interface Odd {
  readonly segment?: Partial<SegmentSummary>;
  readonly isDurable?: () => boolean;
  readonly options?: Partial<RetentionOptions>;
}

/** One turn over a volume that is too full by its one segment; what was removed of index and volume. */
async function turn({ segment: changes, isDurable = () => true, options = {} }: Odd) {
  const segment: SegmentSummary = { ...segmentOf(), volumeId: OWN, ...changes };
  const removed: number[] = [];
  let isThere = true;
  const index = {
    ready: () => Promise.resolve(),
    flush: () => Promise.resolve(),
    streams: () => [segment.key],
    isDurable,
    volumeBytes: () => (isThere ? segment.bytes : 0),
    pendingUnlinks: () => [],
    unlinked: () => undefined,
    remove: async (batch: readonly SegmentSummary[]) => {
      isThere = false;
      removed.push(...batch.map(({ segmentId }) => segmentId));
    },
    stored: {
      lateSegments: 0,
      newestRun: () => undefined,
      followingOn: (_volumeId: unknown, _key: unknown, at: { readonly fromUs: number }) =>
        isThere && at.fromUs < segment.fromUs ? segment : undefined,
    },
  } as unknown as RetentionIndex;
  const volume = new MemoryVolume(OWN);
  volume.put(segment);
  const { retention } = makeRetention({
    index,
    volumes: [volume],
    directory: scratch,
    quota: { quotaBytes: 1 },
    options,
  });
  await retention.turn();
  await retention.stop();
  return { id: segment.segmentId, removed, unlinked: volume.unlinked };
}

it("what is too much goes", async () => {
  const { id, removed, unlinked } = await turn({});
  expect({ removed, unlinked }).toEqual({ removed: [id], unlinked: [id] });
});

/** Answers as the queue asks: for the age, for the room, when it gives the segment out; and otherwise when it is to be removed. */
function onceMore<Answer>(calls: number, first: Answer, then: Answer): () => Answer {
  let asked = 0;
  return () => {
    asked += 1;
    return asked <= calls ? first : then;
  };
}

it.each([
  ["of another volume", "removal-volume", { segment: { volumeId: volumeOfNumber(2) } }],
  ["that is not in the index for good", "removal-open", { isDurable: onceMore(3, true, false) }],
  [
    "that is protected",
    "removal-protected",
    { options: { protectedUntil: onceMore<number | undefined>(3, undefined, Number.MAX_SAFE_INTEGER) } },
  ],
] as const)("a segment %s is not removed, though the queue says so", async (_what, code, odd) => {
  const before = brokenInvariants().get(code) ?? 0;
  const { removed, unlinked } = await turn(odd);
  expect({ removed, unlinked }).toEqual({ removed: [], unlinked: [] });
  expect(brokenInvariants().get(code)).toBe(before + 1);
});
