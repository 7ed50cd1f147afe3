import type { Guid, StreamKey } from "../../base/index.js";
import { SEGMENT_DURATION_MAX_US } from "../index/segment-record.js";
import { HEADER_CRC_BYTES, HEADER_FIXED_BYTES, TRAILER_BYTES } from "../segment/segment-format.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import type { GopEntry, OpenSegment, SegmentSummary } from "../segment/segment-summary.js";

/** A piece of a segment's file that begins with a key frame, or continues with the pictures of the piece before it. */
export interface RecordedPiece {
  /** Decode time of its first picture, Unix µs. */
  readonly fromUs: number;
  /** Decode time of the picture after it, or the end of the segment. */
  readonly toUs: number;
  /** Where it begins in the file; undefined: behind the file's header, whose length the index does not know. */
  readonly offset: number | undefined;
  /** Where it ends in the file; the footer may lie before it. */
  readonly endOffset: number;
  /** Most bytes of the records in it, each with the 28 bytes of its header. */
  readonly bytesMax: number;
  readonly key: boolean;
}

/** What is recorded in one segment of a time, as the index knows it: nothing has been read for it. */
export interface RecordedSegment {
  readonly key: StreamKey;
  readonly volumeId: Guid;
  readonly segmentId: number;
  readonly fragmentId: Guid;
  readonly epoch: number;
  /** Of the segment, whatever the pieces: Unix µs. */
  readonly fromUs: number;
  readonly hasAudio: boolean;
  /** Its first piece follows the last one of the segment before it in time, without a gap. */
  readonly continues: boolean;
  readonly pieces: readonly RecordedPiece[];
}

type Segment = SegmentSummary | OpenSegment;

/** What is asked for. */
export interface RecordedQuery {
  /** `[fromUs, toUs)`, Unix µs. */
  readonly fromUs: number;
  readonly toUs: number;
  /** Shorter GOPs are combined up to this length: a stream of key frames only has many. */
  readonly pieceUsMin: number;
}

/**
 * What is recorded of `[fromUs, toUs)` in the stream's recorded order (epoch, then time), from the key frame at or before
 * `fromUs` on. The GOP that is being written is left out: its length is not known yet. A query of the index for each segment.
 */
export function* recordedSegments(
  index: Pick<SegmentIndex, "following">,
  key: StreamKey,
  time: RecordedQuery,
): Generator<RecordedSegment> {
  const { fromUs, toUs } = time;
  let last: Segment | undefined;
  for (const found of overlapping(index, key, fromUs, toUs)) {
    const continues = last?.fragmentId === found.fragmentId && last.toUs === found.fromUs;
    const pieces = piecesOf(found, time, continues);
    const growth = growthOf(found);
    last = pieces.length > 0 && growth === "none" ? found : undefined;
    if (pieces.length === 0) continue;
    const { volumeId, segmentId, fragmentId, epoch } = found;
    yield {
      key,
      volumeId,
      segmentId,
      fragmentId,
      epoch,
      fromUs: found.fromUs,
      hasAudio: found.audioFrames > 0,
      continues: continues && pieces[0]?.fromUs === found.fromUs,
      pieces,
    };
    // What follows is joined to a GOP that is on its way to the disk: a later export has both.
    if (growth === "going-on") return;
  }
}

/** The segments, epoch by epoch; before them those that hold the beginning of the GOP that `fromUs` lies in. */
function* overlapping(
  index: Pick<SegmentIndex, "following">,
  key: StreamKey,
  fromUs: number,
  toUs: number,
): Generator<Segment> {
  const startUs = Math.max(0, fromUs - SEGMENT_DURATION_MAX_US);
  let epoch = 0;
  for (;;) {
    const first = index.following(key, { segmentId: 0, epoch, fromUs: startUs });
    if (first === undefined) return;
    if (first.epoch !== epoch) {
      epoch = first.epoch;
      continue;
    }
    yield* inEpoch(index, first, fromUs, toUs);
    epoch += 1;
  }
}

function* inEpoch(
  index: Pick<SegmentIndex, "following">,
  first: Segment,
  fromUs: number,
  toUs: number,
): Generator<Segment> {
  const before: Segment[] = [];
  let segment: Segment | undefined = first;
  for (; segment?.epoch === first.epoch && segment.toUs <= fromUs; segment = next(index, segment)) {
    if (before.at(-1)?.fragmentId !== segment.fragmentId || segment.gops.length > 0) before.length = 0;
    before.push(segment);
  }
  const inGop = segment !== undefined && before.at(-1)?.fragmentId === segment.fragmentId;
  if (inGop && !hasKeyBy(segment, fromUs)) yield* before;
  for (; segment?.epoch === first.epoch && segment.fromUs < toUs; segment = next(index, segment))
    yield segment;
}

function next(index: Pick<SegmentIndex, "following">, segment: Segment): Segment | undefined {
  return index.following(segment.key, segment);
}

function hasKeyBy(segment: Segment | undefined, timeUs: number): boolean {
  const first = segment?.gops[0];
  return first !== undefined && first.decodeTimeUs <= timeUs;
}

function piecesOf(segment: Segment, time: RecordedQuery, continues: boolean): RecordedPiece[] {
  const growing = growthOf(segment) !== "none";
  const end = { offset: segment.bytes - TRAILER_BYTES, decodeTimeUs: segment.toUs };
  const [first] = segment.gops;
  const pieces: RecordedPiece[] = [];
  if (continues && (first === undefined || first.decodeTimeUs > segment.fromUs)) {
    const { offset: endOffset, decodeTimeUs: toUs } = first ?? end;
    const bytesMax = endOffset - HEADER_FIXED_BYTES - HEADER_CRC_BYTES;
    const piece = { fromUs: segment.fromUs, toUs, offset: undefined, endOffset, bytesMax, key: false };
    if (first !== undefined || !growing) pieces.push(piece);
  }
  const starts = pieceStarts(segment.gops, time);
  for (const [at, { decodeTimeUs, offset }] of starts.entries()) {
    const following = starts[at + 1];
    if (following === undefined && growing) break;
    const { offset: endOffset, decodeTimeUs: toUs } = following ?? end;
    pieces.push({ fromUs: decodeTimeUs, toUs, offset, endOffset, bytesMax: endOffset - offset, key: true });
  }
  return pieces.filter(({ fromUs, bytesMax }) => fromUs < time.toUs && bytesMax > 0);
}

/** The GOPs that pieces begin with, from the one that holds `fromUs` on. */
function pieceStarts(gops: readonly GopEntry[], { fromUs, pieceUsMin }: RecordedQuery): GopEntry[] {
  const begin = Math.max(
    0,
    gops.findLastIndex((gop) => gop.decodeTimeUs <= fromUs),
  );
  const starts: GopEntry[] = [];
  for (let at = begin; at < gops.length; at++) {
    const gop = gops[at];
    const last = starts.at(-1);
    if (gop !== undefined && (last === undefined || gop.decodeTimeUs - last.decodeTimeUs >= pieceUsMin))
      starts.push(gop);
  }
  return starts;
}

/**
 * Whether the end of a segment may still change: one that is closed is an OpenSegment until the index has taken it, one that was
 * given up half-way until it is recovered.
 */
function growthOf(segment: Segment): "none" | "going-on" | "given-up" {
  if (!("readableBytes" in segment)) return "none";
  const state = "state" in segment ? segment.state : "open";
  if (state === "closed") return "none";
  return state === "failed" ? "given-up" : "going-on";
}
