import { type RecordedAccess, streamTypesOf } from "../../archive/index.js";
import { type Clock, type Guid, NvrdError } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import { ExportBytes } from "./export-bytes.js";
import { ExportLedger } from "./export-ledger.js";
import { ExportMedia } from "./export-media.js";
import { type ExportPlan, type ExportRequest, goesOnFrom, planExport } from "./export-plan.js";

/** Exports under way at once: each reads from disks that record, and holds some memory. */
export const EXPORTS_MAX = 8;
/** Of one user; a browser that seeks has two for a moment. */
export const EXPORTS_PER_USER_MAX = 4;
const BUSY_RETRY_MS = 5000;
/** Laid-out files that are kept for downloads that go on. */
const PLANS_KEPT_MAX = 16;
/** Digests that are kept. */
const DIGESTS_KEPT_MAX = 256;

export interface ExportsOptions {
  readonly recordings: RecordedAccess;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  /** Of the software. */
  readonly version: string;
  /** Exports under way at once; EXPORTS_MAX by default. */
  readonly exportsMax?: number | undefined;
}

/** The exports of this service: what is under way, and what is kept so that a download can go on. */
export class Exports {
  readonly #options: ExportsOptions;
  readonly #media: ExportMedia;
  readonly #plans = new Map<string, ExportPlan>();
  readonly #digests = new Map<string, string>();
  readonly #underWay = new Map<Guid, number>();
  readonly ledger: ExportLedger;
  #count = 0;

  constructor(options: ExportsOptions) {
    this.#options = options;
    this.#media = new ExportMedia(options.recordings);
    this.ledger = new ExportLedger(options);
  }

  /**
   * Takes one of the places; answers what gives it back. Throws NvrdError TOO_MANY_REQUESTS when the user has as many as
   * one may have, NOT_AVAILABLE when all are taken.
   */
  takePlace(userId: Guid): () => void {
    const own = this.#underWay.get(userId) ?? 0;
    const retry = { retryAfterMs: BUSY_RETRY_MS };
    if (own >= EXPORTS_PER_USER_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", `${own} exports of yours are under way already`, retry);
    if (this.#count >= (this.#options.exportsMax ?? EXPORTS_MAX))
      throw new NvrdError("NOT_AVAILABLE", `${this.#count} exports are under way already`, retry);
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

  /**
   * Lays a file out. `goesOn`: one that was laid out before is taken again, though more has been recorded since, as long as
   * all that it holds is still there. Rejects as `planExport`.
   */
  async plan(request: ExportRequest, { goesOn }: { readonly goesOn: boolean }): Promise<ExportPlan> {
    const { recordings, version } = this.#options;
    const made = await planExport(request, { recordings, media: this.#media, version });
    const { of, fromUs, askedToUs, sound, part = 0 } = request;
    const streams = [of.channelId, ...streamTypesOf(of)];
    const key = [...streams, fromUs, askedToUs, sound, part, request.channelName].join(" ");
    const known = this.#plans.get(key);
    const plan = goesOn && known !== undefined && goesOnFrom(known, made) ? known : made;
    remember(this.#plans, key, plan, PLANS_KEPT_MAX);
    return plan;
  }

  bytes(plan: ExportPlan): ExportBytes {
    return new ExportBytes(plan, this.#options.recordings);
  }

  /** SHA-256 of a file, hexadecimal; undefined when it is not known. */
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
