import type { SegmentFile, SegmentSummary } from "../../src/archive/index.js";
import type { Clock, Guid } from "../../src/base/index.js";
import { MemorySegmentIndex } from "./memory-segment-index.js";
import type { SeededRandom } from "./seeded-random.js";

type Unlink = { readonly volumeId: Guid; readonly file: SegmentFile };

/** What the index's disk holds. */
export interface IndexImage {
  readonly summaries: readonly SegmentSummary[];
  readonly unlinks: readonly Unlink[];
}

export interface SimulatedIndexOptions {
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly image: IndexImage;
}

const COMMIT_INTERVAL_MS = 2_000;
const COMMIT_MS_MAX = 300;

/**
 * An index that takes its time to be durable: what is added or removed is on its disk with the next commit, and a
 * commit takes a while of simulated time. `durable` is what a power cut leaves.
 */
export class SimulatedIndex extends MemorySegmentIndex {
  readonly #options: SimulatedIndexOptions;
  #durable: IndexImage;
  #removing: SegmentSummary[] = [];
  #commit: Promise<void> | undefined;
  /** Segments whose removal has been called durable. */
  readonly removed: SegmentSummary[] = [];

  constructor(options: SimulatedIndexOptions) {
    super(options.image.summaries, options.image.unlinks);
    this.#options = options;
    this.#durable = options.image;
    options.clock.setInterval(() => void this.flush(), COMMIT_INTERVAL_MS);
  }

  get durable(): IndexImage {
    return this.#durable;
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
    this.#removing.push(...summaries);
    for (const { segmentId } of summaries) this.committed.delete(segmentId);
    await this.flush();
  }

  /** Only what is durable may be removed. */
  override isDurable(segmentId: number): boolean {
    return this.#durable.summaries.some((summary) => summary.segmentId === segmentId);
  }

  async #commitNow(): Promise<void> {
    const removing = this.#removing;
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
    this.#durable = { summaries, unlinks: [...unlinks.values()] };
    this.removed.push(...removing);
    this.#commit = undefined;
    await super.remove(removing);
    this.commit(taken);
  }
}
