import { onTestFinished } from "vitest";
import { createLog, type Guid } from "../../../src/base/index.js";
import {
  type FindingBegin,
  type FindingGrowth,
  type FindingQuery,
  FindingStore,
  LastingFindings,
} from "../../../src/finding/index.js";
import { ManualClock } from "../base/manual-clock.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { MemorySideFiles } from "./memory-side-files.js";

export const GATE = "00000000-0000-0000-0000-00000000000a" as Guid;
export const YARD = "00000000-0000-0000-0000-00000000000b" as Guid;
export const VOLUME = "00000000-0000-0000-0000-0000000000f1" as Guid;

export const EVERYTHING: FindingQuery = {
  channels: new Map([
    [GATE, "Gate"],
    [YARD, "Back yard"],
  ]),
  ...{
    kinds: [],
    labels: [],
    sources: [],
    zones: [],
    lines: [],
    direction: undefined,
    fromUs: 0,
    toUs: Number.MAX_SAFE_INTEGER,
  },
  ...{ sizeMin: 0, scoreMin: 0, region: undefined, text: "", plate: "", name: "", limit: 50 },
  before: undefined,
};

/** A store of findings over a volume in memory; started again, it has the same volume and index. */
export class FindingHarness {
  readonly clock: ManualClock;
  readonly volume = new MemorySideFiles(VOLUME);
  readonly dataDir: string;
  /** The first recording of each channel; undefined: not known. */
  recorded: ReadonlyMap<Guid, number> | undefined;
  inUse: readonly MemorySideFiles[] = [this.volume];
  knownIds: readonly Guid[] = [VOLUME];
  /** Whether volumes are still being opened. */
  isOpening = false;
  configured: readonly Guid[] = [GATE, YARD];
  bounds: Pick<ConstructorParameters<typeof FindingStore>[0], "waitingMax" | "volumeBytesMax"> = {};
  /** What was logged. */
  readonly said: string[] = [];
  readonly #log = createLog({
    level: "info",
    destination: { write: (line) => void this.said.push((JSON.parse(line) as { msg: string }).msg) },
  });
  lasting!: LastingFindings;
  store!: FindingStore;

  constructor() {
    const directory = new TemporaryDirectory("findings");
    onTestFinished(async () => {
      await this.store.stop();
      directory.remove();
    });
    this.clock = new ManualClock();
    this.dataDir = directory.path;
    this.start();
  }

  /** Starts it, or again as after a crash. */
  start(): void {
    this.lasting = new LastingFindings(this.clock);
    this.store = new FindingStore({
      dataDir: this.dataDir,
      lasting: this.lasting,
      volumes: {
        inUse: () => this.inUse,
        knownIds: () => this.knownIds,
        isOpening: () => this.isOpening,
        of: () => this.inUse[0]?.id,
      },
      kept: {
        recordedSince: () => this.recorded,
        isConfigured: (id) => this.configured.includes(id),
      },
      clock: this.clock,
      log: this.#log,
      ...this.bounds,
    });
    this.store.start();
  }

  /** Something that was seen for a second. */
  seen(seen: Partial<FindingBegin> & { readonly atUs: number }, growth: Partial<FindingGrowth> = {}): string {
    const id = this.lasting.begin({ channelId: GATE, kind: "person", source: "recorder", ...seen }) ?? "";
    const atUs = seen.atUs + 1_000_000;
    this.lasting.grow(id, { atUs, ...growth });
    this.lasting.end(id, atUs);
    return id;
  }

  async found(query: Partial<FindingQuery> = {}): Promise<readonly string[]> {
    const { findings } = await this.store.search({ ...EVERYTHING, ...query });
    return findings.map(({ id }) => id);
  }
}
