import {
  attentiveUs,
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  US_PER_MS,
} from "../base/index.js";
import { EVENT_TYPES, type EventLog } from "../event/index.js";
import {
  answerPartner,
  bodyOf,
  jsonOf,
  type PartnerCall,
  type PartnerState,
  type Partners,
} from "../fleet/index.js";
import type { Camera, Site, SiteChange, SiteStore } from "../site/index.js";
import { siteChange } from "../site/index.js";
import { BusyShare } from "./busy-share.js";
import { type ReserveForecast, type ReserveMeans, reserveForecast } from "./forecast.js";
import { camerasOf, ownersIn, shownSite, type TakenCameras, withOwnerCameras } from "./reserved-site.js";
import { type AskPlace, Signs } from "./signs.js";
import { firstTakeover, nextTakeover, type Takeover, takenCameras, wantsSign } from "./takeover.js";

/** Owners are looked at so often. */
const LOOK_MS = 250;
/** What an owner may send of its cameras. */
const CAMERAS_BYTES_MAX = 4 * 1024 * 1024;
/** Cameras of all owners together that one recorder stands in for. */
export const RESERVED_MAX = 64;
export const CAMERAS_PATH = "/reserve/cameras";

/** A configuration of which what acts can be shown another. */
export interface ShownSite extends SiteStore {
  show(view: (site: Site) => Site, change: SiteChange): void;
}

/** An owner whose cameras are kept here. */
export interface OwnerState {
  readonly ownerId: Guid;
  readonly kind: Takeover["kind"];
  /** Cameras that are kept, and those that are recorded now. */
  readonly cameras: readonly Guid[];
  readonly recorded: readonly Guid[];
  /** Since when they are recorded, Unix µs; undefined: they are not. */
  readonly sinceUs: number | undefined;
}

/** What a recorder has for others, its processors aside. */
export type OwnMeans = Omit<ReserveMeans, "busy">;

export interface ReserveSideOptions {
  readonly site: ShownSite;
  readonly partners: Pick<Partners, "states" | "state" | "serve">;
  readonly events: Pick<EventLog, "raise">;
  readonly ask?: AskPlace;
  /** What this recorder has for others; undefined: not known yet. */
  readonly means: () => OwnMeans | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** This recorder as the reserve of others: keeps their cameras, and records them while their owner is silent. */
export class ReserveSide {
  readonly #options: ReserveSideOptions;
  readonly #log: Log;
  readonly #signs: Signs;
  readonly #busy = new BusyShare();
  /** What came of each camera of others last, bytes a second: kept while its owner is silent. */
  readonly #rates = new Map<Guid, number>();
  readonly #states = new Map<Guid, Takeover>();
  readonly #sinceUs = new Map<Guid, number>();
  #taken: TakenCameras = new Map();
  #startedUs = 0;
  #timer: ClockTimer | undefined;

  constructor(options: ReserveSideOptions) {
    this.#options = options;
    this.#log = options.log.child({ part: "reserve" });
    this.#signs = new Signs(options.clock, options.ask);
  }

  start(): void {
    const { clock, partners } = this.#options;
    this.#startedUs = attentiveUs(clock);
    partners.serve(CAMERAS_PATH, (call) => this.#takeCameras(call));
    this.#timer = clock.setInterval(() => this.#look(), LOOK_MS);
    this.#show("cameras of other recorders are switched off here");
  }

  stop(): void {
    this.#timer?.clear();
  }

  states(): readonly OwnerState[] {
    const { current } = this.#options.site;
    return ownersIn(current).map((ownerId) => {
      const cameras = camerasOf(current, ownerId).map(({ id }) => id);
      return {
        ...{ ownerId, cameras, kind: this.#states.get(ownerId)?.kind ?? "watching" },
        recorded: cameras.filter((id) => this.#taken.get(id) === "recording"),
        sinceUs: this.#sinceUs.get(ownerId),
      };
    });
  }

  /** What it would be to record the cameras of all owners at once; undefined: there are none, or not enough is known yet. */
  get forecast(): ReserveForecast | undefined {
    const { site, means } = this.#options;
    const own = means();
    // Those that are recorded now are in what this recorder records and does already.
    const cameras = ownersIn(site.current)
      .flatMap((ownerId) => camerasOf(site.current, ownerId))
      .filter(({ id }) => this.#taken.get(id) !== "recording");
    if (own === undefined || cameras.length === 0) return undefined;
    const rates = cameras.flatMap(({ id }) => this.#rates.get(id) ?? []);
    const bytesPerSecond = rates.reduce((sum, rate) => sum + rate, 0);
    const load = { cameras: cameras.length, bytesPerSecond, known: rates.length };
    return reserveForecast(load, { ...own, busy: this.#busy.share });
  }

  /** What was kept for a recorder that is no partner any more goes; its recordings stay. */
  async forget(owner: { readonly id: Guid; readonly name: string }): Promise<void> {
    await this.#options.site.change((site) => withOwnerCameras(site, owner, []), {
      summary: `cameras of ${owner.name} removed: it is no partner any more`,
    });
  }

  #look(): void {
    const { site, partners, clock } = this.#options;
    const { current } = site;
    const owners = ownersIn(current);
    if (owners.length > 0) this.#busy.look();
    for (const id of this.#states.keys()) if (!owners.includes(id)) this.#states.delete(id);
    const taken = new Map<Guid, "armed" | "recording">();
    for (const ownerId of owners) {
      const owner = partners.state(ownerId);
      if (owner === undefined) continue;
      for (const { Id, BytesPerSecond } of owner.said?.Recording ?? [])
        if (BytesPerSecond !== undefined) this.#rates.set(Id, BytesPerSecond);
      const kept = camerasOf(current, ownerId);
      const cameras = kept.map(({ id }) => id);
      const nowUs = attentiveUs(clock);
      const heardUs = heardOf(owner);
      if (wantsSign({ nowUs, heardUs })) this.#signs.want(kept);
      const before = this.#states.get(ownerId) ?? firstTakeover(this.#startedUs);
      const look = {
        nowUs,
        heardUs,
        signUs: this.#signUs(ownerId),
        recordedUs: recordedUs(owner),
        cameras,
      };
      const after = nextTakeover(before, look);
      this.#states.set(ownerId, after);
      this.#report(owner, before, after, kept);
      for (const [id, what] of takenCameras(after, cameras)) taken.set(id, what);
    }
    this.#take(taken);
  }

  #signUs(ownerId: Guid): number | undefined {
    const others = this.#options.partners
      .states()
      .filter(({ id }) => id !== ownerId)
      .map(({ heardUs }) => heardUs);
    const signs = [...others, this.#signs.signUs].filter((us) => us !== undefined);
    return signs.length === 0 ? undefined : Math.max(...signs);
  }

  #take(taken: TakenCameras): void {
    const isSame =
      taken.size === this.#taken.size && [...taken].every(([id, what]) => this.#taken.get(id) === what);
    if (isSame) return;
    this.#taken = taken;
    const recorded = [...taken.values()].filter((what) => what === "recording").length;
    this.#show(
      `${recorded} cameras of other recorders are recorded here, ${taken.size - recorded} more are connected to`,
    );
  }

  #show(summary: string): void {
    const taken = this.#taken;
    this.#options.site.show((site) => shownSite(site, taken), siteChange(null, summary));
  }

  #report(owner: PartnerState, before: Takeover, after: Takeover, cameras: readonly Camera[]): void {
    if (before.kind === after.kind) return;
    this.#log.warn(
      { owner: owner.name, from: before.kind, to: after.kind, cameras: cameras.length },
      "reserve for another recorder",
    );
    if (after.kind === "recording") this.#sinceUs.set(owner.id, this.#options.clock.nowUs());
    else this.#sinceUs.delete(owner.id);
    const typeId =
      after.kind === "recording"
        ? EVENT_TYPES.reserveBegan.id
        : before.kind === "recording"
          ? EVENT_TYPES.reserveEnded.id
          : undefined;
    if (typeId === undefined) return;
    for (const { id, name } of cameras)
      this.#options.events.raise({ typeId, channelId: id, channelName: name, comment: owner.name });
  }

  /** An owner sends its cameras. */
  async #takeCameras({ partnerId, method, stream }: PartnerCall): Promise<void> {
    const owner = this.#options.partners.state(partnerId);
    const body = method === "PUT" ? await bodyOf(stream, CAMERAS_BYTES_MAX) : undefined;
    const cameras = body === undefined ? undefined : jsonOf(body);
    if (owner === undefined || !isList(cameras)) {
      answerPartner(stream, 400, { Reason: "it is no list of cameras" });
      return;
    }
    try {
      await this.#keep(owner, cameras);
      answerPartner(stream, 200, {});
    } catch (error) {
      const isTheirs =
        error instanceof NvrdError && (error.code === "BAD_REQUEST" || error.code === "CONFLICT");
      this.#log.warn(
        { owner: owner.name, reason: errorText(error) },
        "cameras of another recorder cannot be kept",
      );
      answerPartner(stream, isTheirs ? 409 : 503, { Reason: errorText(error) });
    }
  }

  /** The configuration checks each of them as it checks its own. */
  async #keep(owner: PartnerState, cameras: readonly Camera[]): Promise<void> {
    const { site } = this.#options;
    const others = site.current.cameras.filter(
      ({ ownerServerId }) => ownerServerId !== owner.id && ownerServerId !== site.current.server.id,
    ).length;
    if (others + cameras.length > RESERVED_MAX)
      throw new NvrdError(
        "CONFLICT",
        `it stands in for ${RESERVED_MAX} cameras at most, and has ${others} of others`,
        { hint: "" },
      );
    await site.change((before) => withOwnerCameras(before, owner, cameras), {
      summary: `${cameras.length} cameras of ${owner.name} kept, which this recorder stands in for`,
    });
  }
}

/** What acts is shown no camera of another recorder: nothing is known of their owners yet. */
export function showWithoutTaken(site: ShownSite): void {
  site.show(
    (whole) => shownSite(whole, new Map()),
    siteChange(null, "cameras of other recorders are switched off here"),
  );
}

/** A list of objects, each of which the configuration checks. */
function isList(data: unknown): data is readonly Camera[] {
  return (
    Array.isArray(data) &&
    data.every((each) => typeof each === "object" && each !== null && !Array.isArray(each))
  );
}

/** In either way: who is silent in the LAN and heard through the hub lives. */
function heardOf({ heardUs, relayedUs }: PartnerState): number | undefined {
  return heardUs === undefined || relayedUs === undefined
    ? (heardUs ?? relayedUs)
    : Math.max(heardUs, relayedUs);
}

function recordedUs({ said }: PartnerState): ReadonlyMap<Guid, number> {
  return new Map((said?.Recording ?? []).map(({ Id, ForMs }) => [Id, ForMs * US_PER_MS]));
}
