import { type ArchiveAccess, type RecordedAccess, streamTypesOf } from "../../archive/index.js";
import { type Clock, type Guid, NvrdError } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import { ExportBytes } from "./export-bytes.js";
import { ExportLedger } from "./export-ledger.js";
import { ExportMedia } from "./export-media.js";
import { type ExportPlan, type ExportRequest, goesOnFrom, planExport } from "./export-plan.js";
import { UnitMemories } from "./unit-memory.js";

/** What the routes of this topic work with. */
export interface ExportNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly exports: Exports;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
  /** Version of the software. */
  readonly version: string;
}

/** Maximum number of concurrent exports: each reads from disks that record, and needs memory. */
export const EXPORTS_MAX = 8;
/** Maximum per user; a browser that seeks briefly has two. */
export const EXPORTS_PER_USER_MAX = 4;
const BUSY_RETRY_MS = 5000;
/** Number of plans cached for resumed downloads. */
const PLANS_KEPT_MAX = 16;
/** Number of digests cached. */
const DIGESTS_KEPT_MAX = 256;

export interface ExportsOptions {
  readonly recordings: RecordedAccess;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  /** Of the software. */
  readonly version: string;
  /** Maximum number of concurrent exports; EXPORTS_MAX by default. */
  readonly exportsMax?: number | undefined;
}

/** The running exports, and the caches for resumed downloads. */
export class Exports {
  readonly #options: ExportsOptions;
  readonly #media: ExportMedia;
  readonly #plans = new Map<string, ExportPlan>();
  readonly #digests = new Map<string, string>();
  readonly #underWay = new Map<Guid, number>();
  readonly #memories: UnitMemories;
  /** Of places whose clients have gone: what is read for them now. */
  readonly #ending = new Set<Promise<void>>();
  readonly ledger: ExportLedger;
  #count = 0;

  constructor(options: ExportsOptions) {
    this.#options = options;
    this.#media = new ExportMedia(options.recordings);
    this.#memories = new UnitMemories(options.clock);
    this.ledger = new ExportLedger(options);
  }

  /** Reports the exports that are not reported yet, and releases what is kept for the next ones. */
  stop(): void {
    this.ledger.stop();
    this.#memories.stop();
  }

  /**
   * Reserves a place; resolves with a function that releases it. Rejects with NvrdError TOO_MANY_REQUESTS if the user has reached
   * the limit, NOT_AVAILABLE if all places are in use. A place whose client has gone is waited for.
   */
  async takePlace(userId: Guid): Promise<() => void> {
    while (this.#isFull(userId) && this.#ending.size > 0) await Promise.race(this.#ending);
    const own = this.#underWay.get(userId) ?? 0;
    const retry = { retryAfterMs: BUSY_RETRY_MS };
    if (own >= EXPORTS_PER_USER_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", `${own} exports of yours are already running`, retry);
    if (this.#count >= (this.#options.exportsMax ?? EXPORTS_MAX))
      throw new NvrdError("NOT_AVAILABLE", `${this.#count} exports are already running`, retry);
    this.#count += 1;
    this.#underWay.set(userId, own + 1);
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      this.#count -= 1;
      const left = (this.#underWay.get(userId) ?? 1) - 1;
      if (left > 0) this.#underWay.set(userId, left);
      else this.#underWay.delete(userId);
    };
  }

  #isFull(userId: Guid): boolean {
    const own = this.#underWay.get(userId) ?? 0;
    return own >= EXPORTS_PER_USER_MAX || this.#count >= (this.#options.exportsMax ?? EXPORTS_MAX);
  }

  /** Releases a place when its reading ends, whose client has gone. The reading never rejects. */
  async releaseAfter(reading: Promise<void>, release: () => void): Promise<void> {
    const done = reading.then(release);
    this.#ending.add(done);
    await done;
    this.#ending.delete(done);
  }

  /**
   * Plans a file. `goesOn`: a cached plan is reused, even if more has been recorded since, while all its recordings still
   * exist. Rejects like `planExport`.
   */
  async plan(
    request: ExportRequest,
    { goesOn, gone }: { readonly goesOn: boolean; readonly gone?: AbortSignal },
  ): Promise<ExportPlan> {
    const { recordings, version } = this.#options;
    const made = await planExport(request, { recordings, media: this.#media, version, gone });
    const { of, fromUs, askedToUs, sound, part = 0 } = request;
    const streams = [of.channelId, ...streamTypesOf(of)];
    const key = [...streams, fromUs, askedToUs, sound, part, request.channelName].join(" ");
    const known = this.#plans.get(key);
    const plan = goesOn && known !== undefined && goesOnFrom(known, made) ? known : made;
    remember(this.#plans, key, plan, PLANS_KEPT_MAX);
    return plan;
  }

  /** @param gone Aborted when nobody takes them any more. */
  bytes(plan: ExportPlan, gone?: AbortSignal): ExportBytes {
    return new ExportBytes(plan, this.#options.recordings, this.#memories, gone);
  }

  /** SHA-256 of a file, hexadecimal; undefined if not cached. */
  digest(plan: ExportPlan): string | undefined {
    return this.#digests.get(plan.etag);
  }

  keepDigest(plan: ExportPlan, digest: string): void {
    remember(this.#digests, plan.etag, digest, DIGESTS_KEPT_MAX);
  }
}

/** Keeps the newest few. */
function remember<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
