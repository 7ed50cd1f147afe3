import { type Clock, errorText, type Guid, type Log } from "../../../base/index.js";
import type { EventLog } from "../../../event/index.js";
import type { OwnerSide, OwnerState, ReserveSide, ReserveState } from "../../../reserve/index.js";
import type { LmdbSiteStore } from "../../../site/index.js";
import type { PartnerService } from "../partner-service.js";
import type { RecordingService } from "../record/recording-service.js";

const NONE: readonly never[] = [];

export interface ReserveServiceOptions {
  readonly site: LmdbSiteStore;
  readonly partners: PartnerService;
  readonly recording: RecordingService;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly log: Log;
}

/** Recorders that stand in for each other. Loaded with the first partner. */
export class ReserveService {
  readonly #options: ReserveServiceOptions;
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

  /** Partners that stand in for cameras of this recorder. */
  reserves(): readonly ReserveState[] {
    return this.#owner?.states() ?? NONE;
  }

  async #load(partners: Parameters<Parameters<PartnerService["whenUsed"]>[0]>[0]): Promise<void> {
    const { site, recording, events, clock, log } = this.#options;
    const { OwnerSide, ReserveSide } = await import("../../../reserve/index.js");
    if (this.#isStopped) return;
    this.#reserve = new ReserveSide({ site, partners, events, clock, log });
    this.#owner = new OwnerSide({ site, partners, recording, clock, log });
    this.#reserve.start();
    this.#owner.start();
  }
}

/** Until it is known whether their owners are there, cameras of others are switched off. */
export async function switchOffCamerasOfOthers(site: LmdbSiteStore): Promise<void> {
  const { current } = site;
  if (
    current.cameras.every(({ ownerServerId }: { ownerServerId: Guid }) => ownerServerId === current.server.id)
  )
    return;
  const { showWithoutTaken } = await import("../../../reserve/index.js");
  showWithoutTaken(site);
}
