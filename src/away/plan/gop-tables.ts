import { setImmediate } from "node:timers/promises";
import { isKeyFramesFragment, packGopTable } from "../../archive/index.js";
import { type Guid, type Interval, STREAM_TYPES } from "../../base/index.js";
import { type IndexedSegments, segmentsIn } from "./recorded-days.js";

const SEGMENTS_A_TURN = 100;

/** The GOP tables of the whole segments of a channel that begin within a time, by segment id, base64. */
export async function gopTables(
  index: IndexedSegments,
  channelId: Guid,
  span: Interval,
): Promise<ReadonlyMap<number, string>> {
  const tables = new Map<number, string>();
  let count = 0;
  for (const streamType of STREAM_TYPES)
    for (const { segmentId, fragmentId, gops, fromUs } of segmentsIn(
      index,
      { channelId, streamType },
      span,
    )) {
      // Another target may have key frames alone of what this one has whole.
      if (gops.length > 0 && !isKeyFramesFragment(fragmentId))
        tables.set(segmentId, Buffer.from(packGopTable(gops, fromUs)).toString("base64"));
      count += 1;
      if (count % SEGMENTS_A_TURN === 0) await setImmediate();
    }
  return tables;
}
