import type { SegmentIndex } from "../../../src/archive/segment/segment-index.js";
import type {
  OpenSegment,
  SegmentFile,
  SegmentSummary,
} from "../../../src/archive/segment/segment-summary.js";
import type {
  ArchiveFragment,
  DayTotal,
  RecordedChangeListener,
  RecordedStretch,
} from "../../../src/archive/segment/types.js";
import type { Guid, StreamKey } from "../../../src/base/index.js";
import { streamKeyText, US_PER_DAY } from "../../../src/base/index.js";

type Segment = SegmentSummary | OpenSegment;
type Position = { readonly segmentId: number; readonly epoch: number; readonly fromUs: number };

/** A SegmentIndex in plain arrays: obviously right, slow, and durable as soon as it is ordered. */
export class MemorySegmentIndex implements SegmentIndex {
  readonly committed = new Map<number, SegmentSummary>();
  readonly #pending = new Map<number, SegmentSummary>();
  readonly #open = new Map<number, OpenSegment>();
  readonly #unlinks = new Map<number, { volumeId: Guid; file: SegmentFile }>();
  readonly #listeners: ((files: readonly SegmentSummary[]) => void)[] = [];

  constructor(summaries: Iterable<SegmentSummary> = []) {
    for (const summary of summaries) this.committed.set(summary.segmentId, summary);
  }

  status(): { readonly ready: boolean; readonly failure: string | undefined } {
    return { ready: true, failure: undefined };
  }

  isWhole(): boolean {
    return true;
  }

  trackOpen(segment: OpenSegment): void {
    this.#open.set(segment.segmentId, segment);
  }

  forgetOpen(segmentId: number): void {
    this.#open.delete(segmentId);
  }

  add(summary: SegmentSummary): void {
    this.#open.delete(summary.segmentId);
    if (this.closed(summary) !== undefined || this.#unlinks.has(summary.segmentId)) return;
    this.#pending.set(summary.segmentId, summary);
    this.stored.lateSegments += 1;
    const { key, fromUs, toUs } = summary;
    for (const listener of this.#changeListeners) listener({ key, fromUs, toUs, added: summary });
  }

  closed({ segmentId, fromUs }: Pick<SegmentSummary, "segmentId" | "fromUs">): SegmentSummary | undefined {
    const found = this.committed.get(segmentId) ?? this.#pending.get(segmentId);
    return found?.fromUs === fromUs ? found : undefined;
  }

  move(from: SegmentSummary, to: SegmentSummary): boolean {
    if (this.closed(from)?.volumeId !== from.volumeId || this.#unlinks.has(to.segmentId)) return false;
    this.committed.delete(from.segmentId);
    this.#pending.set(to.segmentId, to);
    this.stored.lateSegments += 1;
    this.#notifyChange([to]);
    return true;
  }

  async flush(): Promise<void> {
    const files = [...this.#pending.values()];
    this.#pending.clear();
    for (const file of files) this.committed.set(file.segmentId, file);
    if (files.length > 0) for (const listener of this.#listeners) listener(files);
  }

  keptDay(): undefined {
    return undefined;
  }

  keepDay(): void {
    // It is quick enough for tests.
  }

  dayTotal(key: StreamKey, day: number): DayTotal {
    const segments = this.#of(key).filter(
      (segment) => !("readableBytes" in segment) && Math.floor(segment.fromUs / US_PER_DAY) === day,
    );
    return {
      segments: segments.length,
      bytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
      durationUs: segments.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0),
    };
  }

  readonly #changeListeners: RecordedChangeListener[] = [];

  onChange(listener: RecordedChangeListener): void {
    this.#changeListeners.push(listener);
  }

  #notifyChange(summaries: readonly SegmentSummary[]): void {
    for (const summary of summaries) for (const listener of this.#changeListeners) listener(summary);
  }

  onCommitted(listener: (files: readonly SegmentSummary[]) => void): void {
    this.#listeners.push(listener);
  }

  seek(key: StreamKey, timeUs: number): Segment | undefined {
    let next: Segment | undefined;
    for (const own of this.#epochsOf(key)) {
      const holder = own.findLast(({ fromUs }) => fromUs <= timeUs);
      if (holder !== undefined && holder.toUs > timeUs) return holder;
      const behind = own.find(({ fromUs }) => fromUs > timeUs);
      if (behind !== undefined && (next === undefined || behind.fromUs < next.fromUs)) next = behind;
    }
    return next;
  }

  following(key: StreamKey, after: Position): Segment | undefined {
    return this.#of(key).find(
      (segment) => (segment.epoch - after.epoch || segment.fromUs - after.fromUs) > 0,
    );
  }

  last(
    key: StreamKey,
    at: { readonly epoch: number; readonly fromUs: number },
  ): SegmentSummary | OpenSegment | undefined {
    return this.#of(key).findLast(({ epoch, fromUs }) => epoch === at.epoch && fromUs <= at.fromUs);
  }

  fragments(key: StreamKey, fromUs: number, toUs: number): ArchiveFragment[] {
    return this.stretches(key, fromUs, toUs).map(({ epoch: _, ...fragment }) => fragment);
  }

  stretches(key: StreamKey, fromUs: number, toUs: number): RecordedStretch[] {
    const runs: { id: Guid; epoch: number; fromUs: number; toUs: number }[] = [];
    for (const segment of this.#of(key)) {
      const last = runs.at(-1);
      // A piece missing in the middle is shown as such: two runs of one id.
      if (last?.id === segment.fragmentId && segment.fromUs <= last.toUs) {
        last.toUs = Math.max(last.toUs, segment.toUs);
      } else {
        const { fragmentId: id, epoch, fromUs: startUs, toUs: endUs } = segment;
        runs.push({ id, epoch, fromUs: startUs, toUs: endUs });
      }
    }
    return runs
      .filter((fragment) => fragment.fromUs < toUs && fragment.toUs > fromUs)
      .sort((a, b) => a.fromUs - b.fromUs);
  }

  newest(key: StreamKey): Segment | undefined {
    return this.#of(key).at(-1);
  }

  nearestKeyFrameUs(key: StreamKey, timeUs: number): number | undefined {
    const keysOf = (segments: readonly Segment[]) =>
      segments
        .flatMap((segment) => segment.gops.map((gop) => gop.decodeTimeUs))
        .sort((a, b) => Math.abs(a - timeUs) - Math.abs(b - timeUs));
    const holder = this.#epochsOf(key).find((own) =>
      own.some(({ fromUs, toUs }) => fromUs <= timeUs && timeUs < toUs),
    );
    return (holder === undefined ? undefined : keysOf(holder)[0]) ?? keysOf(this.#of(key))[0];
  }

  streams(): StreamKey[] {
    const keys = new Map(this.#all().map((segment) => [streamKeyText(segment.key), segment.key]));
    return [...keys.values()];
  }

  oldest(limit: number, volumeId?: Guid): SegmentSummary[] {
    const closed = [...this.committed.values(), ...this.#pending.values()];
    const wanted = closed.filter((segment) => volumeId === undefined || segment.volumeId === volumeId);
    return wanted.sort(compare).slice(0, limit);
  }

  /** What retention walks through: closed segments by stream and volume. */
  readonly stored = {
    followingOn: (volumeId: Guid, key: StreamKey, at: { epoch: number; fromUs: number }) =>
      this.#closedOf(key).find(
        (segment) =>
          segment.volumeId === volumeId && (segment.epoch - at.epoch || segment.fromUs - at.fromUs) > 0,
      ),
    closedBetween: (key: StreamKey, fromUs: number, toUs: number) =>
      this.#closedOf(key).filter((segment) => segment.fromUs < toUs && segment.toUs > fromUs),
    newestFirst: (volumeId: Guid) => this.#newestFirst(volumeId),
    newestRun: (key: StreamKey) => {
      const closed = this.#closedOf(key);
      const newest = closed.at(-1);
      return newest === undefined
        ? undefined
        : closed.find(({ fragmentId }) => fragmentId === newest.fragmentId);
    },
    /** Changes with each segment: nothing found before is taken as still true. */
    lateSegments: 0,
  };

  async *#newestFirst(volumeId: Guid): AsyncGenerator<SegmentSummary> {
    const closed = [...this.committed.values(), ...this.#pending.values()];
    yield* closed.filter((segment) => segment.volumeId === volumeId).sort((a, b) => b.fromUs - a.fromUs);
  }

  /** Whether a segment's record is on the index's disk. */
  isDurable(segmentId: number): boolean {
    return this.committed.has(segmentId) && !this.#held.has(segmentId);
  }

  readonly #held = new Set<number>();

  hold(segmentId: number): () => void {
    this.#held.add(segmentId);
    return () => this.#held.delete(segmentId);
  }

  async remove(summaries: readonly SegmentSummary[]): Promise<void> {
    for (const { segmentId, volumeId, key } of summaries) {
      this.committed.delete(segmentId);
      this.#pending.delete(segmentId);
      this.#unlinks.set(segmentId, { volumeId, file: { key, segmentId } });
    }
    this.#notifyChange(summaries);
  }

  pendingUnlinks(volumeId?: Guid): { readonly volumeId: Guid; readonly file: SegmentFile }[] {
    return [...this.#unlinks.values()].filter(
      (unlink) => volumeId === undefined || unlink.volumeId === volumeId,
    );
  }

  unlinked(files: readonly { readonly volumeId: Guid; readonly file: SegmentFile }[]): void {
    for (const { file } of files) this.#unlinks.delete(file.segmentId);
  }

  /** Bytes of the volume's segments, those being written included. */
  volumeBytes(volumeId: Guid): number {
    const own = this.#all().filter((segment) => segment.volumeId === volumeId);
    return own.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  /** Bytes of a volume's segments that are being written. */
  openBytes(volumeId: Guid): number {
    const own = [...this.#open.values()].filter((segment) => segment.volumeId === volumeId);
    return own.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  /** Closed segments of a volume. */
  volumeSegments(volumeId: Guid): number {
    return [...this.committed.values(), ...this.#pending.values()].filter(
      (segment) => segment.volumeId === volumeId,
    ).length;
  }

  #all(): Segment[] {
    return [...this.committed.values(), ...this.#pending.values(), ...this.#open.values()];
  }

  #closedOf(key: StreamKey): SegmentSummary[] {
    const text = streamKeyText(key);
    return [...this.committed.values(), ...this.#pending.values()]
      .filter((segment) => streamKeyText(segment.key) === text)
      .sort(compare);
  }

  /** The newest epoch first. */
  #epochsOf(key: StreamKey): Segment[][] {
    const all = this.#of(key);
    const epochs = [...new Set(all.map(({ epoch }) => epoch))].sort((a, b) => b - a);
    return epochs.map((epoch) => all.filter((segment) => segment.epoch === epoch));
  }

  #of(key: StreamKey): Segment[] {
    const text = streamKeyText(key);
    return this.#all()
      .filter((segment) => streamKeyText(segment.key) === text)
      .sort(compare);
  }
}

function compare(a: Position, b: Position): number {
  return a.epoch - b.epoch || a.fromUs - b.fromUs || a.segmentId - b.segmentId;
}
