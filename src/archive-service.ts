import { mkdir } from "node:fs/promises";
import path from "node:path";
import {
  Archive,
  type ArchiveNotice,
  type ChannelDays,
  type CheckReport,
  checkArchive,
  DayClock,
  LmdbSegmentIndex,
  Retention,
  type RetentionVolume,
  rebuildIndex,
  type VolumeQuota,
} from "./archive/index.js";
import { type Clock, errorText, type Guid, type Log, NvrdError } from "./base/index.js";
import { bytesOf } from "./setting-values.js";
import type { Settings } from "./settings.js";

export interface ArchiveServiceOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  /** Nothing is recorded, removed or made new but what `check` is told to repair. Default false. */
  readonly checkOnly?: boolean;
  /** A channel's min and max days; without it nothing goes for its age. */
  readonly daysOf?: (channelId: Guid) => ChannelDays;
  /** Whether the wall clock is known to be set; default: it is. */
  readonly clockKnown?: () => boolean;
  /** Gets what the archive has to say to people. */
  readonly notice?: (notice: ArchiveNotice) => void;
}

export interface ArchiveCheckOptions {
  readonly rebuild: boolean;
  readonly deep: boolean;
  readonly progress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal;
}

/** Name of the LMDB environment in the data directory. No dot: lmdb takes a path with a dot for a file. */
const INDEX_NAME = "index";
const PROGRESS_INTERVAL_MS = 500;
const NO_DAYS: ChannelDays = { minDays: 0, maxDays: 0 };

/** The archive with its index, its rebuild and its retention: what the service and an offline check both need. */
export class ArchiveService {
  readonly archive: Archive;
  readonly #options: ArchiveServiceOptions;
  readonly #index: LmdbSegmentIndex;
  readonly #retention: Retention;
  readonly #stopping = new AbortController();
  #upkeep: Promise<void> = Promise.resolve();
  #fail: (error: Error) => void = () => undefined;
  /** Resolves when the archive cannot be used at all: it was written by a newer nvrd. */
  readonly failure = new Promise<Error>((resolve) => {
    this.#fail = resolve;
  });

  constructor(options: ArchiveServiceOptions) {
    const { settings, clock, log } = options;
    this.#options = options;
    this.#index = new LmdbSegmentIndex({ directory: path.join(settings.dataDir, INDEX_NAME), clock, log });
    this.archive = new Archive({
      dataDir: settings.dataDir,
      volumes: settings.volumes.map((volume) => ({ path: volume.path })),
      index: this.#index,
      clock,
      log,
      segmentSeconds: settings.segmentSeconds,
      syncIntervalMs: settings.syncIntervalMs,
      mayInitialise: options.checkOnly !== true,
    });
    this.#retention = new Retention({
      index: this.#index,
      volumes: () => this.archive.volumeAccess(),
      quotaOf: (volume) => this.#quotaOf(volume),
      daysOf: options.daysOf ?? (() => NO_DAYS),
      protectedUntil: () => undefined,
      days: new DayClock({
        dataDir: settings.dataDir,
        clock,
        clockKnown: options.clockKnown ?? (() => true),
        newestUs: () => this.#index.stored.newestMinuteUs,
        log,
      }),
      notice: (notice) => this.#tell(notice),
      clock,
      log,
    });
  }

  /** Recording can start when this resolves; the index is opened, and rebuilt if need be, behind it. */
  async start(): Promise<void> {
    await mkdir(this.#options.settings.dataDir, { recursive: true });
    this.#index.start();
    await this.archive.start();
    if (this.#options.checkOnly !== true) this.#upkeep = this.#keepUp();
  }

  /** Closes all segments; what was recorded is durable and indexed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#retention.stop();
    await this.archive.stop();
    await this.#upkeep;
    await this.#index.stop();
  }

  /** Compares index and segments, beside recording where it runs. Rejects when the index cannot be opened. */
  async check(options: ArchiveCheckOptions): Promise<CheckReport> {
    const { rebuild, deep, progress, signal } = options;
    await this.archive.recovered();
    let saidUs = this.#options.clock.monotonicUs();
    return await checkArchive({
      index: this.#index,
      volumes: this.archive.volumeAccess(),
      absent: this.archive.absentVolumes(),
      rebuild,
      deep,
      log: this.#options.log,
      ...(signal === undefined ? {} : { signal }),
      onProgress: ({ files, records }) => {
        const nowUs = this.#options.clock.monotonicUs();
        if (nowUs - saidUs < PROGRESS_INTERVAL_MS * 1000) return;
        saidUs = nowUs;
        progress?.(`checked ${records} records, ${files} files`);
      },
    });
  }

  /** Once the index is open: what it has lost is read from the segments again, then retention begins. */
  async #keepUp(): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#index.ready();
      this.#retention.start();
      if (!this.#index.rebuildNeeded) return;
      if (this.archive.isFresh) await this.#index.rebuilt();
      else await this.#rebuild();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (error instanceof NvrdError && error.code === "FORMAT_NEWER") return this.#fail(error);
      log.error(
        { error: errorText(error) },
        "the index could not be rebuilt; it is tried again at the next start",
      );
    }
  }

  async #rebuild(): Promise<void> {
    const { log } = this.#options;
    log.info("the index is new, or was lost: it is read from the segments; recording goes on");
    const result = await rebuildIndex({
      index: this.#index,
      volumes: this.archive.volumeAccess(),
      log,
      signal: this.#stopping.signal,
    });
    const absent = this.#options.settings.volumes.length - this.archive.volumeAccess().length;
    log.info({ ...result, absentVolumes: absent }, "the index is complete");
    if (result.failedVolumes.length === 0 && absent === 0) await this.#index.rebuilt();
  }

  /** Each notice is a line of the log too: a recorder without a screen is read by its log. */
  #tell(notice: ArchiveNotice): void {
    const { notice: listener, log } = this.#options;
    log.warn(notice, `archive: ${notice.kind}`);
    listener?.(notice);
  }

  async #quotaOf(volume: RetentionVolume): Promise<VolumeQuota> {
    const setting = this.#options.settings.volumes.find(({ path: known }) => known === volume.directory);
    if (setting === undefined) return {};
    const { totalBytes } = await volume.space();
    return {
      reserveBytes: bytesOf(setting.reserve, totalBytes),
      ...(setting.quota === undefined ? {} : { quotaBytes: bytesOf(setting.quota, totalBytes) }),
    };
  }
}
