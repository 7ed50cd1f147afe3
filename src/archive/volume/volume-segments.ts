import { errorText, type Guid, NvrdError, parseGuid, STREAM_TYPES } from "../../base/index.js";
import type { DayFiles, SummaryAnswer, SummaryResult } from "../disk/volume-messages.js";
import { type ThreadRequests, VolumeError } from "../disk/volume-thread.js";
import { provisionalOffsetOf, unpackSegmentHeader } from "../segment/segment-header.js";
import {
  movingSegmentPath,
  openSegmentPath,
  type SegmentFile,
  type SegmentListing,
  type SegmentSummary,
  type StrayFile,
  type SummaryOutcome,
  segmentIdOf,
  segmentPath,
} from "../segment/segment-summary.js";
import type { BootTimes } from "../time/boot-times.js";

/** Longest wait for work on whole files: recovery, deep checks, listings of a sleeping disk. */
export const DISK_UPKEEP_TIMEOUT_MS = 120_000;
/** Segment files that a listing hands out at once. */
const LIST_BATCH = 1024;

/**
 * Lists a volume in the order in which it was recorded, day by day over all streams: that is about the order of the files on the
 * disk and of the records in the index. Of `open/` it names strays alone: a footer there proves neither that what lies before it is
 * whole nor that it is on the disk, which recovery and the sync thread see to.
 */
export async function* listVolume(reads: ThreadRequests): AsyncGenerator<SegmentListing> {
  const opened = await reads.read({ op: "list-open" }, DISK_UPKEEP_TIMEOUT_MS);
  const { days, strangers } = await reads.read({ op: "list-days" }, DISK_UPKEEP_TIMEOUT_MS);
  const strays = [
    ...strangers.map((path): StrayFile => ({ path, kind: "unknown" })),
    ...opened.newer.map((path): StrayFile => ({ path, kind: "newer" })),
  ];
  if (strays.length > 0) yield { files: [], strays, share: 0 };
  const byDay = groupByDay(days);
  for (const [at, paths] of byDay.entries()) {
    const { files, strays } = await listDay(reads, paths);
    const batches = Math.max(1, Math.ceil(files.length / LIST_BATCH));
    for (let batch = 0; batch < batches; batch++) {
      const some = files.slice(batch * LIST_BATCH, (batch + 1) * LIST_BATCH);
      const share = (at + (batch + 1) / batches) / byDay.length;
      yield { files: some, strays: batch === 0 ? strays : [], share };
    }
  }
}

/** The newest closed segment file of each stream. */
export async function newestFiles(reads: ThreadRequests): Promise<SegmentFile[]> {
  const { days } = await reads.read({ op: "list-days" }, DISK_UPKEEP_TIMEOUT_MS);
  const newest = new Map<string, string>();
  for (const path of days) {
    const stream = path.slice(0, path.lastIndexOf("/"));
    if (path > (newest.get(stream) ?? "")) newest.set(stream, path);
  }
  const files: SegmentFile[] = [];
  for (const path of newest.values()) {
    const last = (await listDay(reads, [path])).files.at(-1);
    if (last !== undefined) files.push(last);
  }
  return files;
}

export interface VolumeReading {
  readonly reads: ThreadRequests;
  readonly volumeId: Guid;
  readonly bootTimes: Pick<BootTimes, "redate">;
}

/** Reads what headers and footers say of the files, in the order of `files`. */
export async function readFiles(
  volume: VolumeReading,
  files: readonly SegmentFile[],
  options: { readonly deep: boolean; readonly fromFrames?: boolean },
): Promise<SummaryOutcome[]> {
  const { reads } = volume;
  const { deep, fromFrames = false } = options;
  const places = files.map(segmentPaths);
  const answers = await reads.read(
    { op: "summaries", files: places, deep, fromFrames },
    DISK_UPKEEP_TIMEOUT_MS,
  );
  return files.map((file, at) => outcomeOf(file, volume, answers[at]));
}

/**
 * Where a segment's file may be: its place, `open/` or `moving/` until the index knows it there, its place again when it moved just
 * then.
 */
export function segmentPaths(file: SegmentFile): string[] {
  return [segmentPath(file), openSegmentPath(file), movingSegmentPath(file), segmentPath(file)];
}

/** What the index keeps of a closed segment, from its header and footer, dated as its volume says. */
export function summaryOf(found: SummaryResult, bootTimes: Pick<BootTimes, "redate">): SegmentSummary {
  const header = unpackSegmentHeader(Buffer.from(found.header));
  const { toUs, videoFrames, audioFrames, gops } = found.progress;
  const { volumeId, segmentId, key, fragmentId, fragmentSequence, epoch, bootId, fromUs } = header;
  const summary = {
    ...{ volumeId, segmentId, key, fragmentId, fragmentSequence, epoch, bootId, fromUs },
    ...{ toUs, bytes: found.bytes, videoFrames, audioFrames, gops },
  };
  return bootTimes.redate(summary, provisionalOffsetOf(header));
}

function outcomeOf(
  file: SegmentFile,
  { volumeId, bootTimes }: VolumeReading,
  answer: SummaryAnswer | undefined,
): SummaryOutcome {
  if (answer === undefined) return { file, error: new NvrdError("INTERNAL", "the volume left a file out") };
  if ("code" in answer) return { file, error: new VolumeError(answer.code, answer.message) };
  try {
    const summary = summaryOf(answer, bootTimes);
    const reason = mismatch(file, volumeId, summary);
    if (reason !== undefined) return { file, error: new VolumeError("DAMAGED", reason) };
    return { file, summary, closed: answer.closed };
  } catch (error) {
    return { file, error: error instanceof Error ? error : new Error(errorText(error)) };
  }
}

function mismatch(file: SegmentFile, volumeId: Guid, summary: SegmentSummary): string | undefined {
  if (summary.segmentId !== file.segmentId) return `it holds segment ${summary.segmentId}`;
  const { channelId, streamType } = summary.key;
  if (channelId !== file.key.channelId || streamType !== file.key.streamType)
    return `it is of stream ${channelId} ${streamType}`;
  return summary.volumeId === volumeId ? undefined : `it is of volume ${summary.volumeId}`;
}

/** Day directories of the same day together, oldest day first. */
function groupByDay(paths: readonly string[]): string[][] {
  const byDay = new Map<string, string[]>();
  for (const path of paths) {
    const day = path.slice(path.lastIndexOf("/") + 1);
    const some = byDay.get(day);
    if (some === undefined) byDay.set(day, [path]);
    else some.push(path);
  }
  return [...byDay].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, some]) => some);
}

async function listDay(
  reads: ThreadRequests,
  paths: readonly string[],
): Promise<{ readonly files: SegmentFile[]; readonly strays: StrayFile[] }> {
  const files: SegmentFile[] = [];
  const strays: StrayFile[] = [];
  for (const path of paths) {
    const { names, strangers } = await namesOf(reads, path);
    for (const name of strangers) strays.push({ path: `${path}/${name}`, kind: "unknown" });
    for (const name of names) {
      const file = fileOf(path, name);
      if (file === undefined || segmentPath(file) !== `${path}/${name}`)
        strays.push({ path: `${path}/${name}`, kind: "misplaced" });
      else files.push(file);
    }
  }
  files.sort((a, b) => a.segmentId - b.segmentId);
  return { files, strays };
}

async function namesOf(reads: ThreadRequests, path: string): Promise<DayFiles> {
  try {
    return await reads.read({ op: "list-day", path }, DISK_UPKEEP_TIMEOUT_MS);
  } catch (error) {
    // Retention removed the day meanwhile.
    if (error instanceof VolumeError && error.code === "ENOENT") return { names: [], strangers: [] };
    throw error;
  }
}

function fileOf(day: string, name: string): SegmentFile | undefined {
  const [, channel = "", stream = ""] = day.split("/");
  const segmentId = segmentIdOf(name);
  const channelId = parseGuid(channel);
  const streamType = STREAM_TYPES.find((type) => type === stream);
  if (segmentId === undefined || channelId === undefined || streamType === undefined) return undefined;
  return { key: { channelId, streamType }, segmentId };
}
