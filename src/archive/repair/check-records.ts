import { isDeepStrictEqual } from "node:util";
import { errorText, type Guid, streamKeyText, US_PER_DAY } from "../../base/index.js";
import type { StoredSegment } from "../index/segment-table.js";
import { counted, NOTHING, type Total } from "../index/total-table.js";
import { type SegmentSummary, segmentPath, type VolumeAccess } from "../segment/segment-summary.js";
import type { CheckState } from "./check-state.js";
import { compareFragments, FragmentCheck } from "./fragment-check.js";

interface Extent {
  firstId: number;
  lastId: number;
}

/** Records processed between two pauses, so that the service's other work continues. */
const RECORDS_A_STEP = 256;

/** The records of the index against the files, in order of time; checks fragments, epochs and totals in the same pass. */
export class RecordCheck {
  readonly #state: CheckState;
  readonly #volumes: ReadonlyMap<Guid, VolumeAccess>;
  readonly #absentVolumes = new Set<Guid>();
  readonly #days = new Map<string, { day: number; stream: number; total: Total }>();
  readonly #volumeTotals = new Map<Guid, Total>();
  readonly #fragments: FragmentCheck;
  readonly #epochs = new EpochCheck();
  #runs = 0;

  constructor(state: CheckState) {
    this.#state = state;
    this.#volumes = new Map(state.options.volumes.map((volume) => [volume.id, volume]));
    this.#fragments = new FragmentCheck(state.index.store);
  }

  /** Returns the number of runs. */
  async run(): Promise<number> {
    const state = this.#state;
    const { store } = state.index;
    const all = Math.max(1, store.tables.segments.committedCount() ?? 1);
    let after: { key?: Buffer } = {};
    for (;;) {
      state.options.signal?.throwIfAborted();
      const step = take(store.segments.inTime(after), RECORDS_A_STEP);
      const last = step.at(-1);
      if (last === undefined) break;
      after = { key: last.entry.key };
      for (const segment of step) await this.#checkRecord(segment);
      state.progress("records", state.records / all);
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#finish();
    return this.#runs;
  }

  #finish(): void {
    const { suspects, runs, sharedIds } = this.#fragments.finish();
    this.#runs = runs;
    for (const stream of suspects) this.#checkFragments(stream);
    for (const id of sharedIds)
      this.#state.report("fragment-id", id, "it names fragments of two streams", false);
    for (const { stream, detail } of this.#epochs.faults(this.#state.options.epoch)) {
      this.#state.report("epoch", this.#streamText(stream), detail, false);
    }
  }

  checkTotals(): void {
    const { store } = this.#state.index;
    const { rebuild } = this.#state;
    const days = new Map([...store.totals.days()].map((row) => [`${row.day} ${row.stream}`, row.total]));
    const expected = new Map([...this.#days].map(([name, row]) => [name, row.total]));
    if (!isDeepStrictEqual(days, expected)) {
      if (rebuild) store.totals.replaceDays([...this.#days.values()], store.generation);
      this.#state.report("totals", "days", "they are not the sums of the segments", rebuild);
    }
    for (const id of store.volumeIds()) {
      const total = this.#volumeTotals.get(id) ?? NOTHING;
      if (isDeepStrictEqual(store.volumeTotal(id), total)) continue;
      if (rebuild) store.totals.replaceVolume(store.volumeNumber(id) ?? 0, total, store.generation);
      this.#state.report("totals", id, "they are not the sum of the segments", rebuild);
    }
  }

  async #checkRecord(segment: StoredSegment): Promise<void> {
    const state = this.#state;
    const { store } = state.index;
    state.records += 1;
    const summary = store.summary(segment);
    if (summary === undefined) {
      if (state.rebuild) store.tables.segments.delete(segment.entry.key, store.generation);
      const subject = segment.entry.key.toString("hex");
      state.report("record-unreadable", subject, "its bytes make no sense", state.rebuild);
      return;
    }
    this.#checkLeaving(summary);
    if (!(await this.#isKept(summary))) return;
    const fault = this.#fragments.take(segment.stream, summary);
    if (fault !== undefined)
      state.report(fault.kind, segmentPath(summary), `in fragment ${summary.fragmentId}`, false);
    this.#epochs.take(segment.stream, summary);
    this.#count(segment.stream, summary);
  }

  #count(stream: number, summary: SegmentSummary): void {
    const day = Math.floor(summary.fromUs / US_PER_DAY);
    const name = `${day} ${stream}`;
    const total = counted(this.#days.get(name)?.total ?? NOTHING, summary, 1);
    this.#days.set(name, { day, stream, total });
    const ofVolume = this.#volumeTotals.get(summary.volumeId) ?? NOTHING;
    this.#volumeTotals.set(summary.volumeId, counted(ofVolume, summary, 1));
  }

  /** Removes a record whose file is listed for removal. If there are both, the recording is kept. */
  #checkLeaving(summary: SegmentSummary): void {
    const state = this.#state;
    const unlinked = { volumeId: summary.volumeId, file: summary };
    if (!state.index.store.isUnlinking(unlinked)) return;
    if (state.rebuild) state.index.unlinked([unlinked]);
    state.report("record-leaving", segmentPath(summary), "its file is noted for removal", state.rebuild);
  }

  /** Looks for the record's file; false when the record is gone, by a repair or meanwhile. */
  async #isKept(summary: SegmentSummary): Promise<boolean> {
    const state = this.#state;
    if (state.unreadable.has(summary.segmentId)) return this.#drop(summary, "its file cannot be read");
    const fromUs = state.unindexed.get(summary.segmentId);
    if (fromUs !== undefined && fromUs !== summary.fromUs)
      return this.#drop(summary, "its segment begins at another time");
    if (state.seen.has(summary.segmentId) || state.failedVolumes.has(summary.volumeId)) return true;
    const volume = this.#volumes.get(summary.volumeId);
    if (volume === undefined) {
      if (!this.#absentVolumes.has(summary.volumeId)) {
        this.#absentVolumes.add(summary.volumeId);
        state.report("volume-absent", summary.volumeId, "its records cannot be compared", false);
      }
      return true;
    }
    // It was not in the listing: either it came after that, or is not out of `open/` yet, or it is not there.
    if (!state.index.isDurable(summary.segmentId)) return true;
    const [outcome] = await volume.readSummaries([summary], { deep: false });
    if (outcome === undefined || "summary" in outcome) return true;
    return this.#drop(summary, errorText(outcome.error));
  }

  /** Whether the record is still there. */
  #drop(summary: SegmentSummary, reason: string): boolean {
    const state = this.#state;
    if (state.index.store.find(summary) === undefined) return false;
    if (state.rebuild) state.index.forget([summary], { unlink: false });
    state.report("record-without-file", segmentPath(summary), reason, state.rebuild);
    return !state.rebuild;
  }

  #checkFragments(stream: number): void {
    const { rebuild, index } = this.#state;
    if (compareFragments(index.store, stream, rebuild)) return;
    const detail = "they are not the union of their segments";
    this.#state.report("fragments", this.#streamText(stream), detail, rebuild);
  }

  #streamText(stream: number): string {
    const key = this.#state.index.store.streamKey(stream);
    return key === undefined ? `stream ${stream}` : streamKeyText(key);
  }
}

function take<T>(items: Iterable<T>, count: number): T[] {
  const taken: T[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length >= count) break;
  }
  return taken;
}

/** Epochs of each stream: a later one holds only segments that were made later, and none is newer than the archive's own. */
class EpochCheck {
  readonly #extents = new Map<number, Map<number, Extent>>();

  take(stream: number, { epoch, segmentId }: Pick<SegmentSummary, "epoch" | "segmentId">): void {
    let epochs = this.#extents.get(stream);
    if (epochs === undefined) {
      epochs = new Map();
      this.#extents.set(stream, epochs);
    }
    const extent = epochs.get(epoch);
    if (extent === undefined) epochs.set(epoch, { firstId: segmentId, lastId: segmentId });
    else {
      extent.firstId = Math.min(extent.firstId, segmentId);
      extent.lastId = Math.max(extent.lastId, segmentId);
    }
  }

  /** `newest`: the archive's epoch, where it is known. */
  *faults(newest: number | undefined): Generator<{ readonly stream: number; readonly detail: string }> {
    for (const [stream, epochs] of this.#extents) {
      const rising = [...epochs].sort(([a], [b]) => a - b);
      for (const [at, [epoch, extent]] of rising.entries()) {
        const before = rising[at - 1];
        if (before !== undefined && before[1].lastId >= extent.firstId)
          yield { stream, detail: `epoch ${epoch} began before epoch ${before[0]} ended` };
        if (newest !== undefined && epoch > newest)
          yield { stream, detail: `epoch ${epoch} is newer than the archive's, ${newest}` };
      }
    }
  }
}
