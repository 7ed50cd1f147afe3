import { type Disk, realDisk } from "../../../src/archive/disk/disk.js";
import { loadNativeDisk } from "../../../src/archive/disk/native-disk.js";
import { SegmentReads } from "../../../src/archive/disk/segment-reads.js";
import type {
  DayFiles,
  DayList,
  OpenList,
  SummaryAnswer,
  SummaryResult,
} from "../../../src/archive/disk/volume-messages.js";
import { unpackSegmentHeader } from "../../../src/archive/segment/segment-header.js";
import {
  openSegmentPath,
  type SegmentFile,
  type SegmentSummary,
  segmentPath,
} from "../../../src/archive/segment/segment-summary.js";
import { BOOT_TIMES_FILE, parseBootTimes, redated } from "../../../src/archive/time/boot-times.js";
import { summaryOf } from "../../../src/archive/volume/volume-segments.js";
import { type Guid, streamKeyText } from "../../../src/base/index.js";

export interface InvariantsInput {
  /** Directories of the volumes; nothing may be writing to them. */
  readonly volumePaths: readonly string[];
  /** All that the index holds. */
  readonly summaries: readonly SegmentSummary[];
  /** The disk under a volume's directory; default the machine's. */
  readonly diskOf?: (path: string) => Disk;
  /** Fragments whose first segments retention has removed, the streams' oldest aside, which need no mention. */
  readonly shortened?: ReadonlySet<Guid>;
  /** Whether a piece of time may be missing of a fragment: a crash or a fault may have taken it. */
  readonly mayMiss?: (fromUs: number, toUs: number) => boolean;
}

/** What a closed segment says of itself. Throws when it is not whole, to its last frame. */
export function readWhole(reads: SegmentReads, path: string): SummaryResult {
  const request = { op: "summaries", files: [[path]], deep: true, fromFrames: false } as const;
  const [found] = reads.handle(request) as SummaryAnswer[];
  if (found === undefined || "code" in found) throw new Error(found?.message);
  return found;
}

/** Every closed segment on the volumes as its header and footer describe it, each frame's CRC checked. */
export function segmentsOnDisk(
  volumePaths: readonly string[],
  diskOf: (path: string) => Disk = () => realDisk(loadNativeDisk().disk),
): {
  summaries: SegmentSummary[];
  problems: string[];
} {
  const summaries: SegmentSummary[] = [];
  /** Of each segment, how often the file that counts was moved. */
  const moves = new Map<number, number>();
  const problems: string[] = [];
  for (const path of volumePaths) {
    const reads = new SegmentReads(diskOf(path), path);
    const boots = parseBootTimes(
      reads.handle({ op: "read-note", name: BOOT_TIMES_FILE }) as string | undefined,
    );
    const bootTimes = {
      redate: (summary: SegmentSummary, provisionalOffsetUs: number | undefined) => {
        const boot = boots.get(summary.bootId);
        return boot === undefined ? summary : redated(summary, provisionalOffsetUs, boot);
      },
    };
    const paths = [
      ...(reads.handle({ op: "list-open" }) as OpenList).headers.map((header) => {
        return openSegmentPath(unpackSegmentHeader(Buffer.from(header)));
      }),
      ...(reads.handle({ op: "list-days" }) as DayList).days.flatMap((day) => {
        return (reads.handle({ op: "list-day", path: day }) as DayFiles).names.map(
          (name) => `${day}/${name}`,
        );
      }),
    ];
    for (const file of paths) {
      try {
        const found = readWhole(reads, file);
        const summary = summaryOf(found, bootTimes);
        const { segmentId } = summary;
        const moved = unpackSegmentHeader(Buffer.from(found.header)).moves;
        const before = moves.get(segmentId);
        if (before === moved) problems.push(`segment ${segmentId} is there twice`);
        // A move was interrupted: the original is not removed yet.
        if (before !== undefined && before > moved) continue;
        const twin = summaries.findIndex((other) => other.segmentId === segmentId);
        if (twin >= 0) summaries.splice(twin, 1);
        moves.set(segmentId, moved);
        summaries.push(summary);
        if (!pathsOf(summary).includes(file)) problems.push(`${file} says it is ${segmentPath(summary)}`);
      } catch (error) {
        problems.push(`${path}/${file}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return { summaries, problems };
}

/**
 * Invariants 1 to 3 of docs/design/archive.md, on a service that has stopped: what the index names is on disk and
 * whole; fragments do not overlap within an epoch and are the union of their segments; the index equals what
 * a rebuild would find. Answers what is wrong; empty when all hold.
 */
export function archiveProblems(input: InvariantsInput): string[] {
  const disk = segmentsOnDisk(input.volumePaths, input.diskOf);
  return [
    ...disk.problems,
    ...differences(input.summaries, disk.summaries),
    ...fragmentProblems(disk.summaries, input),
  ];
}

function pathsOf(file: SegmentFile): string[] {
  return [segmentPath(file), openSegmentPath(file)];
}

function differences(indexed: readonly SegmentSummary[], onDisk: readonly SegmentSummary[]): string[] {
  const problems: string[] = [];
  const byId = new Map(onDisk.map((summary) => [summary.segmentId, summary]));
  for (const summary of indexed) {
    const found = byId.get(summary.segmentId);
    byId.delete(summary.segmentId);
    if (found === undefined) problems.push(`segment ${summary.segmentId} is in the index, not on disk`);
    else if (plain(found) !== plain(summary)) {
      problems.push(`segment ${summary.segmentId} differs: index ${plain(summary)}, disk ${plain(found)}`);
    }
  }
  for (const segmentId of byId.keys()) problems.push(`segment ${segmentId} is on disk, not in the index`);
  return problems;
}

function plain(summary: SegmentSummary): string {
  const { volumeId, segmentId, key, fragmentId, fragmentSequence, epoch, bootId, fromUs, toUs, bytes } =
    summary;
  const { videoFrames, audioFrames, gops } = summary;
  const ids = [volumeId, segmentId, streamKeyText(key), fragmentId, fragmentSequence, epoch, bootId];
  return JSON.stringify([...ids, fromUs, toUs, bytes, videoFrames, audioFrames, gops]);
}

/** Overlaps, holes and disorder among one stream's fragments. */
export function fragmentProblems(
  summaries: readonly SegmentSummary[],
  { shortened, mayMiss }: Pick<InvariantsInput, "shortened" | "mayMiss"> = {},
): string[] {
  const problems: string[] = [];
  const streams = new Map<string, SegmentSummary[]>();
  for (const summary of summaries) {
    const text = `${streamKeyText(summary.key)} epoch ${summary.epoch}`;
    streams.set(text, [...(streams.get(text) ?? []), summary]);
  }
  for (const [text, segments] of streams) {
    segments.sort((a, b) => a.fromUs - b.fromUs || a.segmentId - b.segmentId);
    for (const [at, segment] of segments.entries()) {
      const name = `${text}: segment ${segment.segmentId}`;
      if (segment.toUs <= segment.fromUs) problems.push(`${name} ends before it starts`);
      const gopOutside = segment.gops.find(
        (gop) => gop.decodeTimeUs < segment.fromUs || gop.decodeTimeUs >= segment.toUs,
      );
      if (gopOutside !== undefined) problems.push(`${name} has a GOP outside its time`);
      const next = segments[at + 1];
      if (next === undefined) continue;
      const continues = next.fragmentId === segment.fragmentId;
      if (next.fromUs < segment.toUs)
        problems.push(`${name} overlaps ${next.segmentId} by ${segment.toUs - next.fromUs} µs`);
      const isCut =
        shortened?.has(next.fragmentId) === true || mayMiss?.(next.fromUs - 1, next.fromUs) === true;
      if (!continues && next.fragmentSequence !== 0 && !isCut)
        problems.push(`${text}: fragment starts with segment ${next.segmentId}`);
      if (!continues || mayMiss?.(segment.toUs, next.fromUs) === true) continue;
      if (next.fragmentSequence !== segment.fragmentSequence + 1)
        problems.push(`${name}: sequence is broken`);
      if (next.fromUs !== segment.toUs) problems.push(`${name}: hole within its fragment`);
    }
  }
  return problems;
}
