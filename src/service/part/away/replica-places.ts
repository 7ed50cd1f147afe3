import { existsSync } from "node:fs";
import path from "node:path";
import type { ReplicaOffer, SendTarget } from "../../../away/index.js";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  MS_PER_SECOND,
  US_PER_SECOND,
} from "../../../base/index.js";
import type { PartnerPlace, PartnerState, Partners } from "../../../fleet/index.js";
import { cameraOptions, type Site } from "../../../site/index.js";

/** Each partner is asked so often where it takes replicas; one that takes none sooner. */
const ASKED_US = 30 * US_PER_SECOND;
const ASKED_SOON_US = 5 * US_PER_SECOND;
const ANSWER_MS_MAX = 5 * MS_PER_SECOND;
const NOBODY: Pick<PartnerPlace, "hosts" | "certificate" | "own"> = {
  ...{ hosts: [], certificate: "", own: { key: "", certificate: "" } },
};

export interface ReplicaPlacesOptions {
  readonly dataDir: string;
  readonly away: typeof import("../../../away/index.js");
  readonly partners: () => Partners | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where other recorders take replicas: those that cameras name, and those that have some. */
export class ReplicaPlaces {
  readonly #options: ReplicaPlacesOptions;
  readonly #offers = new Map<Guid, ReplicaOffer>();
  readonly #askedUs = new Map<Guid, number>();

  constructor(options: ReplicaPlacesOptions) {
    this.#options = options;
  }

  targets(site: Site): readonly SendTarget[] {
    const { away } = this.#options;
    return this.#wanted(site).map(({ id, channelIds }) =>
      away.recorderTarget({ ...{ id, channelIds }, ownId: site.server.id, place: this.#placeOf(id) }),
    );
  }

  /** Asks those that were not asked lately; `onOffer` when one says something else. */
  ask(site: Site, onOffer: () => void): void {
    const { clock, log } = this.#options;
    for (const { id } of this.#wanted(site)) {
      const partner = this.#options.partners()?.state(id);
      const nowUs = clock.monotonicUs();
      if (partner?.isConnected !== true) {
        // It may have started again, at another port: it is asked as soon as it is back.
        this.#askedUs.delete(id);
        continue;
      }
      const { Port = 0, BytesMax = 0 } = this.#offers.get(id) ?? {};
      const againUs = Port === 0 || BytesMax === 0 ? ASKED_SOON_US : ASKED_US;
      if (nowUs - (this.#askedUs.get(id) ?? Number.NEGATIVE_INFINITY) < againUs) continue;
      this.#askedUs.set(id, nowUs);
      this.#ask(id)
        .then(onOffer)
        .catch((error: unknown) => log.debug({ partner: partner.name }, errorText(error)));
    }
  }

  async #ask(id: Guid): Promise<void> {
    const { away, partners } = this.#options;
    const answer = await partners()?.ask(id, {
      ...{ method: "GET", path: away.REPLICA_PATH },
      ...{ bytesMax: away.OFFER_BYTES_MAX, withinMs: ANSWER_MS_MAX },
    });
    // A version before has nothing at this path.
    const none: ReplicaOffer = { Port: 0, BytesMax: 0, UsedBytes: 0 };
    const offer = answer?.status === 200 ? away.readOffer(answer.body) : none;
    if (offer !== undefined) this.#offers.set(id, offer);
  }

  #wanted(site: Site): readonly { readonly id: Guid; readonly channelIds: readonly Guid[] }[] {
    const { dataDir, partners } = this.#options;
    const named = new Map<Guid, Guid[]>();
    for (const camera of site.cameras) {
      // Those that this recorder is the reserve of are sent by their own.
      if (camera.ownerServerId !== site.server.id) continue;
      const id = cameraOptions(camera).servers.replicationServerId;
      if (id !== null) named.set(id, [...(named.get(id) ?? []), camera.id]);
    }
    // What lies at a partner comes back, though no camera names it any more.
    for (const { id } of partners()?.states() ?? [])
      if (!named.has(id) && existsSync(path.join(dataDir, "away", id))) named.set(id, []);
    return [...named].map(([id, channelIds]) => ({ id, channelIds }));
  }

  #placeOf(id: Guid) {
    const partner = this.#options.partners()?.state(id);
    const { hosts, certificate, own } = this.#options.partners()?.place(id) ?? NOBODY;
    const offer = this.#offers.get(id);
    return {
      name: partner?.name ?? id,
      // Always in one order: a target that is the same goes on as it is.
      ...{ hosts: [...hosts].sort(), certificate },
      own: { key: own.key, certificate: own.certificate },
      port: partner === undefined ? 0 : (offer?.Port ?? 0),
      problem: problemOf(partner, offer),
    };
  }
}

function problemOf(partner: PartnerState | undefined, offer: ReplicaOffer | undefined): string {
  if (partner === undefined)
    return "the recorder that the camera names is no partner of this one: make it one, or name another";
  if (offer === undefined) return `${partner.name} is not connected`;
  if (offer.BytesMax === 0)
    return `${partner.name} gives this recorder no share of its disk: give it one there, in Settings, Hub`;
  return offer.Port === 0 ? `${partner.name} takes no replicas now: look at its disk for them` : "";
}
