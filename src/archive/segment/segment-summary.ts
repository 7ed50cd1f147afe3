import type { Guid, StreamKey } from "../../base/index.js";
import type { GopEntry } from "./gop-table.js";
import type { SegmentReading } from "./segment-reading.js";
import type { VolumeSpace } from "./volume-space.js";

export type { GopEntry };

/** What a segment says of itself in header and footer: all that the index keeps, all that a rebuild finds. */
export interface SegmentSummary {
  readonly volumeId: Guid;
  /** Unique and rising in one archive: Unix µs of its creation, made unique. Names the file. */
  readonly segmentId: number;
  readonly key: StreamKey;
  readonly fragmentId: Guid;
  /** 0 for the first segment of its fragment, then rising by one. */
  readonly fragmentSequence: number;
  /** Rises when the stream's time had to step back; fragments do not overlap within one. */
  readonly epoch: number;
  /** Kernel boot the times were taken in. */
  readonly bootId: Guid;
  /** Decode time of the first frame. */
  readonly fromUs: number;
  /** End of the last frame; equal to the next segment's `fromUs` when that continues the fragment. */
  readonly toUs: number;
  /** Size of the file. */
  readonly bytes: number;
  readonly videoFrames: number;
  readonly audioFrames: number;
  readonly gops: readonly GopEntry[];
  /** Where it is read: it is on no volume, only off the box. No index keeps it. */
  readonly away?: SegmentReading;
}

/** The members that the index keeps, as plain objects: two summaries of the same are equal by them. */
export function indexedMembers(summary: SegmentSummary): SegmentSummary {
  return {
    epoch: summary.epoch,
    segmentId: summary.segmentId,
    fragmentId: summary.fragmentId,
    fragmentSequence: summary.fragmentSequence,
    fromUs: summary.fromUs,
    toUs: summary.toUs,
    bytes: summary.bytes,
    videoFrames: summary.videoFrames,
    audioFrames: summary.audioFrames,
    gops: summary.gops.map(({ decodeTimeUs, offset, frames, damaged }) => ({
      decodeTimeUs,
      offset,
      frames,
      damaged,
    })),
    key: { channelId: summary.key.channelId, streamType: summary.key.streamType },
    volumeId: summary.volumeId,
    bootId: summary.bootId,
  };
}

/** A segment that is being written: the same members, growing. Its newest GOP may still grow. */
export interface OpenSegment extends SegmentSummary {
  /** Bytes already handed to the disk and readable, from the start of the file. */
  readonly readableBytes: number;
}

/** What retention, check and rebuild ask of a volume; each call runs on the volume's own threads. */
export interface VolumeAccess {
  readonly id: Guid;
  /** Every segment file in its place, oldest day first; what lies in `open/` is recovery's and the sync thread's. */
  listSegments(): AsyncIterable<SegmentListing>;
  /**
   * Reads header and footer of each file, `deep` also every frame, and answers in the same order; the disk gets many small
   * reads at once. `fromFrames`: a segment without a whole footer is counted from its frames. Rejects when the volume fails.
   */
  readSummaries(
    files: readonly SegmentFile[],
    options: { readonly deep: boolean; readonly fromFrames?: boolean },
  ): Promise<readonly SummaryOutcome[]>;
  /** Gives a segment without a whole footer a new one; it then lasts `durationUs`, or to the end of its last frame. */
  closeAgain(file: SegmentFile, durationUs: number | undefined): Promise<void>;
  /** Moves a misplaced segment to its place and answers which it is. Rejects when it is none of this volume, or the place is taken. */
  putInPlace(path: string): Promise<SegmentFile>;
  /** How often the segment was moved before it came to the volume, as its file says. Rejects when that cannot be read. */
  movesOf(file: SegmentFile): Promise<number>;
  /** Removes a segment's file; a missing file is no error. */
  unlink(file: SegmentFile): Promise<void>;
  space(): Promise<VolumeSpace>;
}

/** A part of a volume's listing. */
export interface SegmentListing {
  readonly files: readonly SegmentFile[];
  readonly strays: readonly StrayFile[];
  /** How much of the volume's days is listed with this part, 0 to 1. */
  readonly share: number;
}

/** A file that is no segment in its place. */
export interface StrayFile {
  /** Under the volume's directory. */
  readonly path: string;
  /** A segment in the directory of another day or stream, a segment of a newer nvrd, or none of nvrd's files. */
  readonly kind: "misplaced" | "newer" | "unknown";
}

export type SummaryOutcome =
  /** Not `closed`: counted from its frames. */
  | { readonly file: SegmentFile; readonly summary: SegmentSummary; readonly closed: boolean }
  /** Its `code` is an errno name, UNCLOSED, DAMAGED or FORMAT_NEWER where it is known. */
  | { readonly file: SegmentFile; readonly error: Error };

/** Names a segment's file on its volume. */
export interface SegmentFile {
  readonly key: StreamKey;
  readonly segmentId: number;
}

/** Relative path of a closed segment: `streams/<channel>/<stream type>/<yyyy-mm-dd>/<segment id, 14 hex digits>.seg`. */
export function segmentPath(file: SegmentFile): string {
  const day = new Date(Math.floor(file.segmentId / 1000)).toISOString().slice(0, 10);
  return `streams/${file.key.channelId}/${file.key.streamType}/${day}/${segmentFileName(file.segmentId)}`;
}

/** Relative path of a segment from its creation until the index knows it durably: `open/<segment id>.seg`. */
export function openSegmentPath(file: SegmentFile): string {
  return `open/${segmentFileName(file.segmentId)}`;
}

/** Directory of copies that are not their segment yet: made by a move, and nothing to recovery. */
export const MOVING_DIRECTORY = "moving";

/** Relative path of a segment's copy until the index names the volume that it is on: `moving/<segment id>.seg`. */
export function movingSegmentPath(file: Pick<SegmentFile, "segmentId">): string {
  return `${MOVING_DIRECTORY}/${segmentFileName(file.segmentId)}`;
}

function segmentFileName(segmentId: number): string {
  return `${segmentId.toString(16).padStart(14, "0")}.seg`;
}

const FILE_ID_PATTERN = /([0-9a-f]{14})\.seg$/;

/** The segment id in a file's name. */
export function segmentIdOf(name: string): number | undefined {
  const match = FILE_ID_PATTERN.exec(name);
  return match?.[1] === undefined ? undefined : Number.parseInt(match[1], 16);
}
