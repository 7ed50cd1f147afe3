import type { ArchiveAccess } from "../../../archive/index.js";
import { type Clock, errorText, type Log } from "../../../base/index.js";
import type { Cards } from "../../../camera/index.js";
import type { EventLog } from "../../../event/index.js";
import type { PartnerHealth } from "../../../health/index.js";
import type { SlabPool } from "../../../live/index.js";
import type {
  OwnerSide,
  OwnerState,
  OwnMeans,
  ReserveForecast,
  ReserveSide,
  ReserveState,
} from "../../../reserve/index.js";
import { type Camera, cameraOptions, type LmdbSiteStore } from "../../../site/index.js";
import type { PartnerService } from "../fleet/partner-service.js";
import type { RecordingService } from "../record/recording-service.js";

const NONE: readonly never[] = [];

export interface ReserveServiceOptions {
  readonly site: LmdbSiteStore;
  readonly partners: PartnerService;
  readonly recording: RecordingService;
  readonly archive: ArchiveAccess;
  /** What cameras keep themselves. */
  readonly cards: Cards;
  readonly pool: SlabPool;
  readonly events: EventLog;
  /** What this recorder has for the cameras of others. */
  readonly means: () => OwnMeans | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Recorders that stand in for each other. Loaded with the first partner. */
export class ReserveService implements Cards {
  readonly #options: ReserveServiceOptions;
  #cards: Cards | undefined;
  #reserve: ReserveSide | undefined;
  #owner: OwnerSide | undefined;
  #isStopped = false;

  constructor(options: ReserveServiceOptions) {
    this.#options = options;
  }

  start(): void {
    const { partners, log } = this.#options;
    partners.whenUsed(
      (used) =>
        void this.#load(used).catch((error: unknown) => {
          log.error({ reason: errorText(error) }, "this recorder cannot be a reserve, and has none");
        }),
    );
    partners.whenLeft(
      ({ id, name }) =>
        void this.#reserve?.forget({ id, name }).catch((error: unknown) => {
          log.error(
            { reason: errorText(error), owner: name },
            "cameras of a former partner cannot be removed: remove them on the page",
          );
        }),
    );
  }

  stop(): void {
    this.#isStopped = true;
    this.#reserve?.stop();
    this.#owner?.stop();
  }

  /** Other recorders whose cameras are kept here. */
  owners(): readonly OwnerState[] {
    return this.#reserve?.states() ?? NONE;
  }

  /** What it would be to record the cameras of all others at once; undefined: there are none, or it is not known yet. */
  get forecast(): ReserveForecast | undefined {
    return this.#reserve?.forecast;
  }

  /** Partners that stand in for cameras of this recorder. */
  reserves(): readonly ReserveState[] {
    return this.#owner?.states() ?? NONE;
  }

  /** Partners, and what is done for them and by them. */
  health(): readonly PartnerHealth[] {
    const [owners, reserves] = [this.owners(), this.reserves()];
    return this.#options.partners.states().map(({ id, name, isConnected, sinceUs }) => ({
      ...{ name, isConnected, sinceUs },
      recordedHere: owners.find(({ ownerId }) => ownerId === id)?.recorded.length ?? 0,
      reserveProblem: reserves.find(({ reserveId }) => reserveId === id)?.problem,
    }));
  }

  /** Whether a partner stands in for a camera. */
  hasReserve(camera: Camera): boolean {
    return this.#cards !== undefined && cameraOptions(camera).servers.reservedServerId !== null;
  }

  isSupported(camera: Camera): boolean | undefined {
    return this.#sources.isSupported(camera);
  }

  contents(...asked: Parameters<Cards["contents"]>): ReturnType<Cards["contents"]> {
    return this.#sources.contents(...asked);
  }

  play(request: Parameters<Cards["play"]>[0]): ReturnType<Cards["play"]> {
    return this.#sources.play(request);
  }

  /** Reserves and cards; without a partner, cards alone. */
  get #sources(): Cards {
    return this.#cards ?? this.#options.cards;
  }

  async #load(partners: Parameters<Parameters<PartnerService["whenUsed"]>[0]>[0]): Promise<void> {
    const { site, recording, archive, cards, pool, events, means, clock, log } = this.#options;
    const { OwnerSide, RecordingsGiver, ReserveCards, ReserveSide } = await import(
      "../../../reserve/index.js"
    );
    if (this.#isStopped) return;
    this.#reserve = new ReserveSide({ site, partners, events, means, clock, log });
    this.#owner = new OwnerSide({ site, partners, recording, clock, log });
    new RecordingsGiver({ site, partners, archive, clock }).start();
    this.#cards = new ReserveCards({ site, partners, cards, pool, clock });
    this.#reserve.start();
    this.#owner.start();
  }
}

/** Until it is known whether their owners are there, cameras of others are switched off. */
export async function switchOffCamerasOfOthers(site: LmdbSiteStore): Promise<void> {
  const { current } = site;
  if (current.cameras.every(({ ownerServerId }) => ownerServerId === current.server.id)) return;
  const { showWithoutTaken } = await import("../../../reserve/index.js");
  showWithoutTaken(site);
}
