import { segmentPaths } from "../../../archive/index.js";
import type {
  AwayControl,
  AwayLock,
  AwayTargetState,
  BucketState,
  DayFacts,
  LockChange,
  LockWish,
  ManifestGap,
  Replications,
  ReturnState,
  Returns,
  SendTarget,
  TargetProblem,
} from "../../../away/index.js";
import {
  type Clock,
  errorText,
  type Guid,
  type Interval,
  type Log,
  MS_PER_SECOND,
  NvrdError,
  Semaphore,
  STREAM_TYPES,
  setTimeLimit,
  US_PER_SECOND,
} from "../../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../../event/index.js";
import type { SiteStore } from "../../../site/index.js";
import type { ArchiveService } from "../record/archive-service.js";
import type { ReplicaService } from "./replica-service.js";

const CHECK_MS_MAX = 30 * MS_PER_SECOND;
/** A step of the check ends after so long without a byte. */
const SILENCE_MS_MAX = 10 * MS_PER_SECOND;
const CHECKS_WAITING_MAX = 8;
/** Shorter gaps are not written to manifests. */
const GAP_US_MIN = 2 * US_PER_SECOND;
const GAPS_MAX = 500;
const EVENTS_MAX = 2000;

export interface AwayServiceOptions {
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly events: Pick<EventLog, "moments" | "search" | "raise">;
  readonly archive: ArchiveService;
  readonly dataDir: string;
  /** Other recorders that recordings go to, and what they keep here. */
  readonly replicas: Pick<ReplicaService, "sendTargets" | "keptTargets" | "onChange">;
  /** Why a time without recordings of a channel has none. */
  readonly gapReason: (channelId: Guid, fromUs: number, toUs: number) => Promise<string>;
  /** All lines of what was found of a channel on a day. */
  readonly findingsOf: (channelId: Guid, day: string, bytesMax: number) => Promise<Uint8Array | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Recordings off the box. The room `away` is loaded when it is needed first: most recorders have no target. */
export class AwayService implements AwayControl {
  readonly #options: AwayServiceOptions;
  readonly #turns = new Semaphore({ atOnce: 1, waitingMax: CHECKS_WAITING_MAX });
  #replications: Replications | undefined;
  #returns: Returns | undefined;
  #loading: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: AwayServiceOptions) {
    this.#options = options;
    options.site.onChange("away", () => this.#follow());
    options.replicas.onChange(() => this.#follow());
  }

  start(): void {
    const { archive } = this.#options;
    archive.segments.onChange((change) => this.#replications?.noteChange(change));
    archive.onRemoved((segment) => {
      this.#replications?.noteRemoved(segment);
      this.#returns?.noteRemoved(segment);
    });
    this.#follow();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loading;
    await Promise.all([this.#replications?.stop(), this.#returns?.stop()]);
  }

  targets(): readonly SendTarget[] {
    const { site, replicas } = this.#options;
    return [...site.current.awayTargets, ...replicas.sendTargets()];
  }

  states(): readonly AwayTargetState[] {
    return this.#replications?.states() ?? [];
  }

  returns(): readonly ReturnState[] {
    return this.#returns?.states() ?? [];
  }

  locks(): readonly AwayLock[] {
    return this.#replications?.locks() ?? [];
  }

  async lock(targetId: Guid, wish: LockWish): Promise<AwayLock> {
    return await (await this.#started()).lock(targetId, wish);
  }

  async changeLock(id: Guid, change: LockChange): Promise<AwayLock> {
    return await (await this.#started()).changeLock(id, change);
  }

  async liftLock(id: Guid): Promise<AwayLock> {
    return await (await this.#started()).liftLock(id);
  }

  async bucket(target: SendTarget): Promise<BucketState> {
    return await this.#turns.run(async () => {
      const { bucketState } = await import("../../../away/index.js");
      return await this.#inTime((options) => bucketState(target, options));
    });
  }

  async setRules(target: SendTarget): Promise<BucketState> {
    return await this.#turns.run(async () => {
      const { setProposedRules } = await import("../../../away/index.js");
      return await this.#inTime((options) => setProposedRules(target, options));
    });
  }

  async #started(): Promise<Replications> {
    await this.#loading;
    if (this.#replications === undefined)
      throw new NvrdError("NOT_FOUND", "no away target is on", { hint: "see POST /configure/away" });
    return this.#replications;
  }

  async check(target: SendTarget): Promise<TargetProblem | undefined> {
    return await this.#turns.run(() => this.#check(target));
  }

  async #check(target: SendTarget): Promise<TargetProblem | undefined> {
    const { checkTarget } = await import("../../../away/index.js");
    try {
      return await this.#inTime((options) => checkTarget(target, options));
    } catch (error) {
      throw new NvrdError("INTERNAL", "the target cannot be tested", { cause: error });
    }
  }

  async #inTime<T>(
    work: (options: { clock: Clock; signal: AbortSignal; silenceMsMax: number }) => Promise<T>,
  ): Promise<T> {
    const { clock } = this.#options;
    const late = new AbortController();
    const timer = setTimeLimit(clock, () => late.abort(), CHECK_MS_MAX);
    try {
      return await work({ clock, signal: late.signal, silenceMsMax: SILENCE_MS_MAX });
    } finally {
      timer.clear();
    }
  }

  #follow(): void {
    const { site, replicas } = this.#options;
    const isNeeded =
      site.current.awayTargets.some(({ isEnabled }) => isEnabled) ||
      replicas.sendTargets().length + replicas.keptTargets().length > 0;
    if (!isNeeded && this.#replications === undefined) return;
    this.#loading = this.#loading
      .then(async () => {
        if (this.#isStopped) return;
        if (this.#replications === undefined) await this.#load();
        this.#replications?.follow(this.targets());
        this.#returns?.follow([...this.targets(), ...replicas.keptTargets()]);
      })
      .catch((error: unknown) =>
        this.#options.log.error({ error: errorText(error) }, "recordings off the box cannot be used"),
      );
  }

  async #load(): Promise<void> {
    const { site, events, archive, dataDir, clock, log } = this.#options;
    const away = await import("../../../away/index.js");
    this.#returns = new away.Returns({
      ...{ dataDir, clock, log },
      onPlaces: (places) => archive.archive.setAway(places),
    });
    this.#replications = new away.Replications({
      ...{ site, events, dataDir, clock, log },
      index: archive.segments,
      allSegments: archive.archive.allSegments,
      isKnown: () => archive.archive.indexFault() === undefined,
      ages: archive.ages,
      pathsOf: ({ channelId, stream, segmentId, ...segment }) => {
        const file = { key: { channelId, streamType: stream }, segmentId };
        // It may have been moved to another volume since it was found.
        const volumeId = archive.volumeOf({ ...segment, ...file }) ?? segment.volumeId;
        const volume = archive.archive.volumeAccess().find(({ id }) => id === volumeId);
        return volume === undefined ? [] : segmentPaths(file).map((path) => `${volume.directory}/${path}`);
      },
      bootTimes: () => archive.archive.archiveClock.bootTimes.all,
      protectedRanges: (channelId) => archive.protection.ranges(channelId),
      findingsOf: this.#options.findingsOf,
      factsOf: (channelId, span) => this.#factsOf(channelId, span),
    });
  }

  /** What a manifest says of a channel's day beside its segments. */
  async #factsOf(channelId: Guid, span: Interval): Promise<DayFacts> {
    const { site, events } = this.#options;
    const { server, cameras } = site.current;
    const name = cameras.find(({ id }) => id === channelId)?.name ?? "";
    const found: DayFacts["events"][number][] = [];
    const within = { fromUs: span.fromUs, toUs: span.toUs - 1, channelIds: new Set([channelId]) };
    for await (const batch of events.search({ ...within, limit: EVENTS_MAX, fromBegin: false }))
      for (const { timeUs, typeId, comment } of batch)
        found.push({ timeUs, typeId, name: NAME_OF_TYPE.get(typeId) ?? "", comment });
    const { id } = server;
    return {
      server: { id, name: server.name },
      channel: { id: channelId, name },
      gaps: await this.#gapsOf(channelId, span),
      events: found,
    };
  }

  async #gapsOf(channelId: Guid, { fromUs, toUs }: Interval): Promise<readonly ManifestGap[]> {
    const { archive, clock, gapReason } = this.#options;
    const endUs = Math.min(toUs, clock.nowUs());
    const gaps: ManifestGap[] = [];
    let atUs = fromUs;
    const fragments = archive.archive.fragments({ channelId, streamTypes: STREAM_TYPES }, fromUs, endUs);
    for (const fragment of [...fragments, { fromUs: endUs, toUs: endUs }]) {
      if (fragment.fromUs - atUs >= GAP_US_MIN && gaps.length < GAPS_MAX)
        gaps.push({
          fromUs: atUs,
          toUs: fragment.fromUs,
          reason: await gapReason(channelId, atUs, fragment.fromUs),
        });
      atUs = Math.max(atUs, fragment.toUs);
    }
    return gaps;
  }
}

const NAME_OF_TYPE = new Map(Object.values(EVENT_TYPES).map(({ id, name }) => [id, name]));
