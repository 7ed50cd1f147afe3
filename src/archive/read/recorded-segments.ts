import type { Guid, StreamKey } from "../../base/index.js";
import { SEGMENT_DURATION_MAX_US } from "../index/segment-record.js";
import { HEADER_CRC_BYTES, HEADER_FIXED_BYTES, TRAILER_BYTES } from "../segment/segment-format.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import type { SegmentReading } from "../segment/segment-reading.js";
import type { GopEntry, OpenSegment, SegmentSummary } from "../segment/segment-summary.js";
import type { JoinedStretches } from "./joined-stretches.js";

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
  /** As in SegmentSummary. */
  readonly away?: SegmentReading;
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

/** What is said of a stream's segments that are looked for: by default those of all epochs. */
interface Within extends RecordedQuery {
  readonly epoch?: number;
}

/**
 * As `recordedSegments`, of several streams as one recording. Where another stream takes over, a piece ends with the last
 * frame before that, though the file holds more.
 */
export function* joinedSegments(
  index: Pick<SegmentIndex, "following">,
  stretches: JoinedStretches,
  { fromUs, toUs, pieceUsMin }: RecordedQuery,
): Generator<RecordedSegment> {
  for (const stretch of stretches.overlapping(fromUs, toUs)) {
    const { key, epoch } = stretch;
    const within = {
      fromUs: Math.max(fromUs, stretch.fromUs),
      toUs: Math.min(toUs, stretch.toUs),
      pieceUsMin,
      epoch,
    };
    const segments = recordedSegments(index, key, within);
    for (let next = segments.next(); ; next = segments.next()) {
      // What follows is joined to a GOP that is on its way to the disk: a later export has both.
      if (next.done === true && next.value === "going-on") return;
      if (next.done === true) break;
      yield stretch.isCut ? endingAt(next.value, stretch.toUs) : next.value;
    }
  }
}

function endingAt(segment: RecordedSegment, endUs: number): RecordedSegment {
  const pieces = segment.pieces.map((piece) => ({ ...piece, toUs: Math.min(piece.toUs, endUs) }));
  return { ...segment, pieces };
}

/**
 * What is recorded of `[fromUs, toUs)` in the stream's recorded order (epoch, then time), from the key frame at or before
 * `fromUs` on. The GOP that is being written is left out: its length is not known yet. A query of the index for each segment.
 */
export function* recordedSegments(
  index: Pick<SegmentIndex, "following">,
  key: StreamKey,
  time: Within,
): Generator<RecordedSegment, "going-on" | undefined> {
  let last: Segment | undefined;
  for (const found of overlapping(index, key, time)) {
    const continues = last?.fragmentId === found.fragmentId && last.toUs === found.fromUs;
    const pieces = piecesOf(found, time, continues);
    const growth = growthOf(found);
    last = pieces.length > 0 && growth === "none" ? found : undefined;
    if (pieces.length === 0) continue;
    const { volumeId, segmentId, fragmentId, epoch, away } = found;
    yield {
      ...(away === undefined ? {} : { away }),
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
    if (growth === "going-on") return growth;
  }
  return undefined;
}

/** The segments, epoch by epoch; before them those that hold the beginning of the GOP that `fromUs` lies in. */
function* overlapping(
  index: Pick<SegmentIndex, "following">,
  key: StreamKey,
  { fromUs, toUs, epoch: only }: Within,
): Generator<Segment> {
  // What follows a position begins after it.
  const startUs = Math.max(0, fromUs - SEGMENT_DURATION_MAX_US - 1);
  let epoch = only ?? 0;
  for (;;) {
    const first = index.following(key, { segmentId: 0, epoch, fromUs: startUs });
    if (first === undefined || (only !== undefined && first.epoch !== only)) return;
    if (first.epoch !== epoch) {
      epoch = first.epoch;
      continue;
    }
    yield* inEpoch(index, first, fromUs, toUs);
    if (only !== undefined) return;
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
  for (; segment?.epoch === first.epoch && segment.fromUs < toUs; segment = next(index, segment)) {
    yield segment;
    // What follows in the epoch begins where this one ends, or later: it need not be looked up.
    if (segment.toUs >= toUs) return;
  }
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
