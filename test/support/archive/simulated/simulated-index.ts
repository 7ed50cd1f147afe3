import { IndexStore } from "../../../../src/archive/index/index-store.js";
import { LmdbSegmentIndex } from "../../../../src/archive/index/lmdb-segment-index.js";
import type { SegmentSummary } from "../../../../src/archive/segment/segment-summary.js";
import type { Clock } from "../../../../src/base/time/clock.js";
import type { Guid } from "../../../../src/base/value/guid.js";
import type { SeededRandom } from "../../base/seeded-random.js";
import { SILENT_LOG } from "../archive-fixture.js";
import { type IndexImage, SimulatedDatabase, tablesOf } from "./simulated-database.js";

export interface SimulatedIndexOptions {
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly image: IndexImage;
  readonly knownVolumeIds: () => readonly Guid[];
  /** Told of segments as retention takes them out. */
  readonly onRemove: (summaries: readonly SegmentSummary[]) => void;
}

const COMMIT_INTERVAL_MS = 2_000;

/** The index on a simulated disk: what is added or removed is there with the next commit. `durable` is what a power cut leaves. */
export class SimulatedIndex extends LmdbSegmentIndex {
  /** Segments whose removal has been called durable. */
  readonly removed: SegmentSummary[] = [];
  readonly #onRemove: (summaries: readonly SegmentSummary[]) => void;
  readonly #database: SimulatedDatabase;
  readonly #removing: SegmentSummary[];

  constructor({ clock, random, image, knownVolumeIds, onRemove }: SimulatedIndexOptions) {
    const removing: SegmentSummary[] = [];
    const onCommit = () => {
      const taken = removing.splice(0);
      return () => void this.removed.push(...taken);
    };
    const database = new SimulatedDatabase({ clock, random, image, onCommit });
    super({
      ...{ directory: "/simulated/index", clock, log: SILENT_LOG, knownVolumeIds },
      commitIntervalMs: COMMIT_INTERVAL_MS,
      open: async () => ({ environment: database, store: new IndexStore(database.tables) }),
    });
    this.#database = database;
    this.#removing = removing;
    this.#onRemove = onRemove;
  }

  get durable(): IndexImage {
    return this.#database.image;
  }

  /** The closed segments that its disk holds. */
  get durableSummaries(): SegmentSummary[] {
    const { image } = this.#database;
    const store = new IndexStore(tablesOf(() => image));
    return [...store.segments.inTime({})].flatMap((segment) => store.summary(segment) ?? []);
  }

  /** Segments whose files are to be unlinked, by what a disk holds. */
  static leaving(image: IndexImage): Set<number> {
    const unlinks = new IndexStore(tablesOf(() => image)).unlinks(Number.POSITIVE_INFINITY);
    return new Set(unlinks.map(({ file }) => file.segmentId));
  }

  /** A state of its disk from some commits ago. */
  older(random: SeededRandom): IndexImage {
    return this.#database.older(random);
  }

  override forget(summaries: readonly SegmentSummary[], options: { readonly unlink: boolean }): void {
    if (options.unlink) {
      this.#onRemove(summaries);
      this.#removing.push(...summaries);
    }
    super.forget(summaries, options);
  }
}
