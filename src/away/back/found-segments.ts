import {
  type FarBytes,
  gopsOfEnds,
  HEAD_BYTES,
  type SegmentSummary,
  TAIL_BYTES_MAX,
  unpackGopTable,
  VolumeError,
} from "../../archive/index.js";
import { EMPTY_GUID, type Guid } from "../../base/index.js";
import type { FoundEntry } from "../plan/manifest.js";

/** No segment is larger: a manifest that says so is wrong. */
const SEGMENT_BYTES_MAX = 8 * 1024 ** 3;
/** A manifest does not say it, and it is of no use far away. */
const NO_BOOT: Guid = EMPTY_GUID;

/** How segments are read whose manifest does not have their GOP table. */
export interface FoundReading {
  readonly bytes: FarBytes;
  readonly signal: AbortSignal;
}

/**
 * A segment as a manifest names it; undefined where that cannot be right, or it is not there. Rejects with NvrdError NOT_AVAILABLE
 * where the manifest has no GOP table and the segment cannot be read now.
 */
export async function summaryOf(
  channelId: Guid,
  entry: FoundEntry,
  reading: FoundReading,
): Promise<SegmentSummary | undefined> {
  const {
    stream,
    gops: table,
    video: _video,
    audio: _audio,
    sha256: _sha256,
    sealedBytes: _sealed,
    ...facts
  } = entry;
  const found = { ...facts, key: { channelId, streamType: stream }, bootId: NO_BOOT };
  const fromTable = table === undefined ? undefined : gopsIn(table, entry.fromUs);
  const gops = fromTable ?? (await gopsOf({ ...found, gops: [] }, reading));
  const isRight =
    entry.bytes <= SEGMENT_BYTES_MAX && gops?.every(({ offset }) => offset < entry.bytes) === true;
  return gops === undefined || !isRight ? undefined : { ...found, gops };
}

/** Of a segment whose manifest does not have it: its footer. Undefined where it has none, or is not there. */
async function gopsOf(
  segment: SegmentSummary,
  { bytes, signal }: FoundReading,
): Promise<SegmentSummary["gops"] | undefined> {
  try {
    const read = async (from: number, to: number): Promise<Buffer> =>
      Buffer.from(await bytes.read(segment, { from, to }, signal));
    const head = await read(0, Math.min(HEAD_BYTES, segment.bytes));
    const tail = await read(Math.max(0, segment.bytes - TAIL_BYTES_MAX), segment.bytes);
    return gopsOfEnds(segment, head, tail);
  } catch (error) {
    if (error instanceof VolumeError && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function gopsIn(table: string, fromUs: number): SegmentSummary["gops"] | undefined {
  try {
    return unpackGopTable(Buffer.from(table, "base64"), fromUs);
  } catch {
    return undefined; // torn: the segment itself is read
  }
}
