import type { ArchivedFrame, ArchiveFragment, SegmentSummary } from "../../../src/archive/index.js";
import { openSegmentPath } from "../../../src/archive/segment/segment-summary.js";
import { type Guid, streamKeyText } from "../../../src/base/index.js";
import type { SentFrame, SimulatedCamera } from "./simulated/simulated-camera.js";

/** At most so much of a stream may be lost to a crash (docs/design/archive.md). */
export const LOST_US_MAX = 2_000_000;
/** Problems named of one kind; the rest are counted. */
const PROBLEMS_MAX = 5;

/** A stretch of wall clock in which frames may be missing. */
interface Excuse {
  readonly fromUs: number;
  readonly toUs: number;
  /** Undefined: of every stream. */
  readonly stream: string | undefined;
}

type TimeRange = Pick<ArchiveFragment, "fromUs" | "toUs">;

interface ShownFragment extends ArchiveFragment {
  readonly stream: string;
}

/** What the archive has promised so far, and whether what is found keeps it. */
export class ArchiveWitness {
  readonly #cameras: readonly SimulatedCamera[];
  readonly #excuses: Excuse[] = [];
  readonly #removed = new Map<number, SegmentSummary>();
  readonly #shown = new Map<string, ShownFragment>();
  readonly #synced = new Map<string, number>();
  /** Frames that were found once; what was found may not go. */
  readonly #found = new Map<string, Set<SentFrame>>();

  constructor(cameras: readonly SimulatedCamera[]) {
    this.#cameras = cameras;
  }

  /** Frames of this time may be missing. */
  excuse(fromUs: number, toUs: number, stream?: string): void {
    this.#excuses.push({ fromUs, toUs, stream });
  }

  /** Removed by retention, for good. */
  noteRemoved(summaries: readonly SegmentSummary[]): void {
    for (const summary of summaries) this.#removed.set(summary.segmentId, summary);
  }

  /** Segments that `isThere` on a disk again, whose removal an index forgot, are there like any other. */
  forgetRemovals(isThere: (segment: SegmentSummary) => boolean): void {
    for (const summary of this.#removed.values())
      if (isThere(summary)) this.#removed.delete(summary.segmentId);
  }

  /** Bytes that were called durable, by the path of the segment's file in `open/`. */
  noteSynced(bytes: ReadonlyMap<string, number>): void {
    for (const [path, count] of bytes) this.#synced.set(path, count);
  }

  /** Fragments as a client was shown them long enough ago to last. */
  noteShown(stream: string, fragments: readonly ArchiveFragment[]): void {
    for (const fragment of fragments) this.#shown.set(fragment.id, { ...fragment, stream });
  }

  /** What is wrong with the segments the index holds. */
  segmentProblems(indexed: readonly SegmentSummary[]): string[] {
    const problems: string[] = [];
    for (const { segmentId } of indexed)
      if (this.#removed.has(segmentId)) problems.push(`segment ${segmentId} was removed and is there again`);
    // Not by its volume: it may have been moved to another one.
    const byPath = new Map(indexed.map((summary) => [openSegmentPath(summary), summary]));
    const removedIds = new Set([...this.#removed.values()].map((summary) => openSegmentPath(summary)));
    for (const [path, bytes] of this.#synced) {
      const inOpen = path.slice(path.indexOf("open/"));
      if (removedIds.has(inOpen)) continue;
      const found = byPath.get(inOpen);
      if (found === undefined) problems.push(`${path}: ${bytes} bytes were synced, the segment is gone`);
      else if (found.bytes < bytes)
        problems.push(`${path}: ${bytes} bytes were synced, ${found.bytes} are there`);
    }
    return bounded(problems);
  }

  /** Fragments that retention has taken segments of. */
  get shortened(): ReadonlySet<Guid> {
    return new Set([...this.#removed.values()].map((summary) => summary.fragmentId));
  }

  /** What is wrong with the fragments a client is shown now. */
  fragmentProblems(camera: SimulatedCamera, fragments: readonly ArchiveFragment[]): string[] {
    const stream = streamKeyText(camera.key);
    const problems: string[] = [];
    const { shortened } = this;
    for (const shown of this.#shown.values()) {
      if (shown.stream !== stream || shortened.has(shown.id)) continue;
      const pieces = fragments.filter((fragment) => fragment.id === shown.id);
      // A piece that could not be closed at first comes back later, in front of what was shown.
      const missing = gapsIn(shown, pieces).filter(
        (gap) => holdsFrame(camera, gap) && !this.#mayMissOf(stream, gap),
      );
      if (missing.length > 0)
        problems.push(`${stream}: a fragment was longer: ${JSON.stringify({ shown, pieces })}`);
    }
    return bounded(problems);
  }

  /** What is wrong with a stream read from its beginning; frames sent before `keptUntilUs` must be there. */
  frameProblems(camera: SimulatedCamera, read: readonly ReadFrame[], keptUntilUs: number): string[] {
    const stream = streamKeyText(camera.key);
    const problems = [...camera.problems];
    const bySent = new Map(camera.sent.map((frame) => [nameOf(frame), frame]));
    const found = new Set<SentFrame>();
    let lastVideoUs = 0;
    for (const frame of read) {
      const sent = bySent.get(nameOf(frame));
      if (sent === undefined || !sent.bytes.equals(frame.bytes) || sent.key !== frame.key) {
        problems.push(`${stream}: a frame at ${frame.decodeTimeUs} that was never sent so`);
        continue;
      }
      if (found.has(sent)) problems.push(`${stream}: the frame at ${frame.decodeTimeUs} comes twice`);
      if (frame.codec === camera.shape.codec) {
        if (frame.decodeTimeUs <= lastVideoUs) problems.push(`${stream}: ${frame.decodeTimeUs} out of order`);
        lastVideoUs = frame.decodeTimeUs;
      }
      found.add(sent);
    }
    const before = this.#found.get(stream) ?? new Set();
    for (const sent of camera.sent) {
      if (found.has(sent) || sent.leftOut || this.#isRemoved(stream, sent)) continue;
      if (before.has(sent)) problems.push(`${stream}: the frame at ${sent.decodeTimeUs} was there before`);
      else if (sent.decodeTimeUs < keptUntilUs && !this.#isExcused(stream, sent.decodeTimeUs))
        problems.push(`${stream}: the frame at ${sent.decodeTimeUs} is lost (kept until ${keptUntilUs})`);
    }
    this.#found.set(stream, found);
    return bounded(problems);
  }

  /** Forgets the frames that were sent so long ago that the archive was found right about them. */
  forget(keptFromUs: number): void {
    for (const camera of this.#cameras) {
      const first = camera.sent.findIndex((frame) => frame.decodeTimeUs >= keptFromUs);
      camera.sent.splice(0, first < 0 ? camera.sent.length : first);
    }
  }

  #mayMissOf(stream: string, { fromUs, toUs }: TimeRange): boolean {
    const own = this.#excuses.filter((one) => one.stream === undefined || one.stream === stream);
    return own.some((excuse) => fromUs >= excuse.fromUs && toUs <= excuse.toUs);
  }

  /** Whether a piece of time lies in what a crash or a fault may have taken of every stream, or retention. */
  mayMiss(fromUs: number, toUs: number): boolean {
    const isRemoved = [...this.#removed.values()].some((one) => one.fromUs <= fromUs && one.toUs >= fromUs);
    return isRemoved || this.#excuses.some((one) => fromUs >= one.fromUs && toUs <= one.toUs);
  }

  #isRemoved(stream: string, { decodeTimeUs }: SentFrame): boolean {
    for (const { key, fromUs, toUs, gops } of this.#removed.values()) {
      if (streamKeyText(key) !== stream) continue;
      if (decodeTimeUs >= fromUs - AUDIO_SLACK_US && decodeTimeUs < toUs + AUDIO_SLACK_US) return true;
      // What follows a removed key frame cannot be shown without it.
      if (gops.length > 0 && this.#followsRemovedKey(stream, decodeTimeUs, toUs)) return true;
    }
    return false;
  }

  /** Whether no key frame lies between the end of what was removed and the frame. */
  #followsRemovedKey(stream: string, decodeTimeUs: number, removedToUs: number): boolean {
    if (decodeTimeUs < removedToUs) return false;
    const camera = this.#cameras.find((one) => streamKeyText(one.key) === stream);
    const key = camera?.sent.find(
      (frame) => frame.key && frame.codec === camera.shape.codec && frame.decodeTimeUs >= removedToUs,
    );
    return key === undefined || decodeTimeUs < key.decodeTimeUs;
  }

  #isExcused(stream: string, timeUs: number): boolean {
    return this.#excuses.some(
      (excuse) =>
        (excuse.stream === undefined || excuse.stream === stream) &&
        timeUs >= excuse.fromUs &&
        timeUs < excuse.toUs,
    );
  }
}

/** Whether a picture began in the gap: how long the last one lasts, recovery cannot know of a single frame. */
function holdsFrame({ sent, shape }: SimulatedCamera, { fromUs, toUs }: TimeRange): boolean {
  return sent.some(
    ({ codec, decodeTimeUs }) => codec === shape.codec && decodeTimeUs >= fromUs && decodeTimeUs < toUs,
  );
}

/** What of a time range its pieces, in order, leave out. */
function gapsIn(whole: TimeRange, pieces: readonly TimeRange[]): TimeRange[] {
  const gaps: TimeRange[] = [];
  let atUs = whole.fromUs;
  for (const piece of pieces) {
    if (piece.fromUs > atUs) gaps.push({ fromUs: atUs, toUs: Math.min(piece.fromUs, whole.toUs) });
    atUs = Math.max(atUs, piece.toUs);
  }
  if (atUs < whole.toUs) gaps.push({ fromUs: atUs, toUs: whole.toUs });
  return gaps.filter((gap) => gap.toUs > gap.fromUs);
}

/** Sound may lie a little beside the segment whose time it is of. */
const AUDIO_SLACK_US = 200_000;

/** A frame read back, its bytes copied. */
export type ReadFrame = Pick<ArchivedFrame, "decodeTimeUs" | "codec" | "key"> & { readonly bytes: Buffer };

function nameOf(frame: { readonly codec: number; readonly decodeTimeUs: number }): string {
  return `${frame.codec} ${frame.decodeTimeUs}`;
}

function bounded(problems: readonly string[]): string[] {
  if (problems.length <= PROBLEMS_MAX) return [...problems];
  return [...problems.slice(0, PROBLEMS_MAX), `and ${problems.length - PROBLEMS_MAX} more such`];
}
