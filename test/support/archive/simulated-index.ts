import type { SegmentFile, SegmentSummary } from "../../../src/archive/index.js";
import type { Clock, Guid } from "../../../src/base/index.js";
import type { SeededRandom } from "../base/seeded-random.js";
import { MemorySegmentIndex } from "./memory-segment-index.js";

type Unlink = { readonly volumeId: Guid; readonly file: SegmentFile };

/** What the index's disk holds. */
export interface IndexImage {
  readonly summaries: readonly SegmentSummary[];
  readonly unlinks: readonly Unlink[];
  /** Whether the volumes may hold segments that it does not know. */
  readonly needsRebuild: boolean;
}

/** What a lost index leaves. */
export const LOST_INDEX: IndexImage = { summaries: [], unlinks: [], needsRebuild: true };

export interface SimulatedIndexOptions {
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly image: IndexImage;
  /** Told of segments as retention takes them out. */
  readonly onRemove: (summaries: readonly SegmentSummary[]) => void;
}

const COMMIT_INTERVAL_MS = 2_000;
const COMMIT_MS_MAX = 300;
/** Earlier states of its disk that an index may fall back to. */
const OLDER_MAX = 8;

/**
 * An index that takes its time to be durable: what is added or removed is on its disk with the next commit, and a
 * commit takes a while of simulated time. `durable` is what a power cut leaves.
 */
export class SimulatedIndex extends MemorySegmentIndex {
  readonly #options: SimulatedIndexOptions;
  #durable: IndexImage;
  readonly #older: IndexImage[] = [];
  #removing: SegmentSummary[] = [];
  readonly #leaving = new Set<number>();
  #needsRebuild: boolean;
  #commit: Promise<void> | undefined;
  /** Segments whose removal has been called durable. */
  readonly removed: SegmentSummary[] = [];

  constructor(options: SimulatedIndexOptions) {
    super(options.image.summaries, options.image.unlinks);
    this.#options = options;
    this.#durable = options.image;
    this.#needsRebuild = options.image.needsRebuild;
    options.clock.setInterval(() => void this.flush(), COMMIT_INTERVAL_MS);
  }

  get durable(): IndexImage {
    return this.#durable;
  }

  /** A state of its disk from some commits ago: what a restored or half written file may show. */
  older(random: SeededRandom): IndexImage {
    const image = this.#older.length === 0 ? LOST_INDEX : random.pick(this.#older);
    return { ...image, needsRebuild: true };
  }

  get needsRebuild(): boolean {
    return this.#needsRebuild;
  }

  /** It holds all that the volumes hold. */
  async rebuilt(): Promise<void> {
    this.#needsRebuild = false;
    await this.flush();
  }

  /** Takes out a record whose file is gone, as a check does. */
  forget(segmentId: number): void {
    this.committed.delete(segmentId);
  }

  async ready(): Promise<void> {
    // It is open from the start.
  }

  /** Waits for a commit that begins after this call. */
  override async flush(): Promise<void> {
    while (this.#commit !== undefined) await this.#commit;
    this.#commit = this.#commitNow();
    await this.#commit;
  }

  override async remove(summaries: readonly SegmentSummary[]): Promise<void> {
    this.#options.onRemove(summaries);
    this.#removing.push(...summaries);
    for (const { segmentId } of summaries) {
      this.#leaving.add(segmentId);
      this.committed.delete(segmentId);
    }
    await this.flush();
  }

  protected override isLeaving(segmentId: number): boolean {
    return this.#leaving.has(segmentId) || super.isLeaving(segmentId);
  }

  /** Only what is durable may be removed. */
  override isDurable(segmentId: number): boolean {
    const volumeId = this.summaryOf(segmentId)?.volumeId;
    return (
      !this.held.has(segmentId) &&
      this.#durable.summaries.some(
        (summary) => summary.segmentId === segmentId && summary.volumeId === volumeId,
      )
    );
  }

  async #commitNow(): Promise<void> {
    const removing = this.#removing;
    const needsRebuild = this.#needsRebuild;
    this.#removing = [];
    const leaving = new Set(removing.map(({ segmentId }) => segmentId));
    // What this commit takes is settled as it begins; what comes meanwhile waits for the next.
    const taken = this.pendingSummaries();
    const unlinks = new Map(this.pendingUnlinks().map((unlink) => [unlink.file.segmentId, unlink]));
    for (const { segmentId, volumeId, key } of removing)
      unlinks.set(segmentId, { volumeId, file: { key, segmentId } });
    const summaries = [...this.committed.values(), ...taken].filter(
      ({ segmentId }) => !leaving.has(segmentId),
    );
    await new Promise<void>((resolve) => {
      const { clock, random } = this.#options;
      clock.setTimeout(resolve, random.below(COMMIT_MS_MAX));
    });
    this.#older.push(this.#durable);
    if (this.#older.length > OLDER_MAX) this.#older.shift();
    this.#durable = { summaries, unlinks: [...unlinks.values()], needsRebuild };
    this.removed.push(...removing);
    this.#commit = undefined;
    await super.remove(removing);
    for (const { segmentId } of removing) this.#leaving.delete(segmentId);
    this.commit(taken);
  }
}
