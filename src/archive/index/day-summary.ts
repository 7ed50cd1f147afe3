import { type Interval, US_PER_DAY } from "../../base/index.js";
import { pushVarint, readVarint } from "../segment/gop-table.js";
import type { RecordedDay } from "../segment/types.js";

/** The first byte: what cannot be read is made anew. */
const FORMAT = 2;
/** A larger one is not kept: thousands of runs in a day. */
const SUMMARY_BYTES_MAX = 16 * 1024;

/**
 * Packs what is recorded of a day: the runs, then the times with sound, those of key frames alone, those that the camera kept; of each
 * their number, then of each time how long after the one before it (the first: after the day's begin) it begins, and how long it is, in
 * µs. Undefined where it is too much to be kept.
 */
export function packDay(
  day: number,
  { runs, sound, keyFrames, fromCamera }: RecordedDay,
): Buffer | undefined {
  const out = [FORMAT];
  for (const spans of [runs, sound, keyFrames, fromCamera]) {
    pushVarint(out, spans.length);
    let atUs = day * US_PER_DAY;
    for (const { fromUs, toUs } of spans) {
      pushVarint(out, fromUs - atUs);
      pushVarint(out, toUs - fromUs);
      atUs = toUs;
    }
  }
  return out.length > SUMMARY_BYTES_MAX ? undefined : Buffer.from(out);
}

/** Reads what `packDay` wrote; undefined for anything else. */
export function unpackDay(day: number, packed: Buffer): RecordedDay | undefined {
  if (packed[0] !== FORMAT) return undefined;
  const cursor = { at: 1 };
  try {
    const next = () => readSpans(day, packed, cursor);
    return { runs: next(), sound: next(), keyFrames: next(), fromCamera: next() };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readSpans(day: number, packed: Buffer, cursor: { at: number }): Interval[] {
  const spans: Interval[] = [];
  let atUs = day * US_PER_DAY;
  for (let left = readVarint(packed, cursor); left > 0; left--) {
    const fromUs = atUs + readVarint(packed, cursor);
    atUs = fromUs + readVarint(packed, cursor);
    spans.push({ fromUs, toUs: atUs });
  }
  return spans;
}
