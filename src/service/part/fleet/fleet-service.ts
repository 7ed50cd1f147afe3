import { existsSync } from "node:fs";
import path from "node:path";
import type { HubAdmission, Sessions } from "../../../access/index.js";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  readVersion,
  setTimeLimit,
} from "../../../base/index.js";
import { Inbox } from "../../../box/update/index.js";
import type {
  BoxAbout,
  HandedStorage,
  Hub,
  HubLimits,
  HubLogins,
  HubMembership,
  MembershipState,
  NoteWay,
  PeerLive,
  Rollout,
  SharedHub,
  StorageAccess,
} from "../../../fleet/index.js";
import type { HealthDigest } from "../../../health/index.js";
import { socketAddress } from "../../../host/control/index.js";
import { reachableAddress } from "../../../http/index.js";
import type { BoxesControl, HubControl, StorageWish } from "../../../owner/index.js";
import { readHubAddress, type Settings } from "../../../settings/index.js";
import type { AwayTarget, SiteStore } from "../../../site/index.js";
import type { ApiServer } from "../../api/index.js";
import { descriptorShares } from "../descriptor-shares.js";
import type { OidcService } from "../oidc-service.js";
import { type SharedSettingName, sharedHub } from "./shared-hub.js";

/** What says that a recorder belongs to a hub; see the room `fleet`. */
const MEMBERSHIP = ["fleet", "hub.json"] as const;
/** Where a bundle lies that a hub rolls out. */
const BUNDLE = ["hub", "bundle"] as const;
const SOCKET_NAME = "api.sock";
/** A port that is not available is tried again after this. */
const RETRY_MS = 10_000;
/** For trying what a key may do at the storage. */
const CHECK_MS_MAX = 30_000;

export interface FleetServiceOptions {
  readonly settings: Pick<
    Settings,
    "bucketCacheBytes" | "dataDir" | "hubPort" | "hubAddress" | "listen" | SharedSettingName
  >;
  readonly site: SiteStore;
  /** The health of the recorder; undefined until it has begun to record. */
  readonly health: () => HealthDigest | undefined;
  /** Who is logged in here; undefined until that is known. */
  readonly logins: () => FleetLogins | undefined;
  readonly api: () => ApiServer | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Logins that hubs which are one share. */
export interface FleetLogins {
  readonly sessions: Pick<Sessions, "share" | "changedElsewhere">;
  readonly oidc: Pick<OidcService, "share" | "takeFor"> | undefined;
}

/** The hub that the recorder belongs to, and the hub that it is. Of what is switched off not even the code is loaded. */
export class FleetService implements HubControl {
  readonly #options: FleetServiceOptions;
  #membership: HubMembership | undefined;
  #hub: Hub | undefined;
  #rollout: Rollout | undefined;
  readonly #listeners: ((from: Guid, text: string) => void)[] = [];
  #problem: string | undefined;
  #retry: ClockTimer | undefined;
  #isStopped = false;

  constructor(options: FleetServiceOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { dataDir, hubPort } = this.#options.settings;
    if (existsSync(path.join(dataDir, ...MEMBERSHIP))) await (await this.#loaded()).start();
    if (hubPort !== 0) await this.#startHub();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#retry?.clear();
    await this.#membership?.stop();
    await this.#rollout?.stop();
    await this.#hub?.stop();
  }

  /** Who is let in through the hub, and how far; undefined: nobody. */
  get admission(): HubAdmission | undefined {
    return this.#membership?.ceiling;
  }

  get state(): MembershipState | undefined {
    return this.#membership?.state;
  }

  async join(code: string, limits: HubLimits): Promise<void> {
    await (await this.#loaded()).join(code, limits);
  }

  async change(limits: HubLimits): Promise<void> {
    await this.#required.change(limits);
  }

  async handStorage(wish: StorageWish | undefined): Promise<void> {
    const membership = this.#required;
    if (wish === undefined) {
      await membership.handStorage(undefined);
      return;
    }
    const target = this.#options.site.current.awayTargets.find(({ id }) => id === wish.targetId);
    if (target === undefined)
      throw new NvrdError("NOT_FOUND", "there is no such target of off-site storage", {
        hint: "see GET /configure/away",
      });
    const access = { ...wish, place: placeOf(target) };
    await this.#requireReadable(handed(target, access));
    await membership.handStorage(access);
  }

  /** Rejects with NvrdError BAD_REQUEST where the hub could not use it, or could do more than read. */
  async #requireReadable(storage: HandedStorage): Promise<void> {
    const { STORAGE_AUTHORITY_LENGTH_MAX, storageTarget } = await import("../../../fleet/index.js");
    if (storage.authority.length > STORAGE_AUTHORITY_LENGTH_MAX)
      throw new NvrdError("BAD_REQUEST", "the target's certificates are too long for the hub", {
        hint: `leave those of its own authority: ${STORAGE_AUTHORITY_LENGTH_MAX} characters at most`,
      });
    const { requireReadingOnly } = await import("../../../away/index.js");
    const { clock } = this.#options;
    const late = new AbortController();
    const timer = setTimeLimit(clock, () => late.abort(), CHECK_MS_MAX);
    try {
      await requireReadingOnly(storageTarget(storage), { clock, signal: late.signal });
    } finally {
      timer.clear();
    }
  }

  async leave(): Promise<void> {
    await this.#required.leave();
  }

  /** The way to other recorders of the hub, as far as there is one. */
  get notes(): NoteWay {
    return {
      say: (to, text) => this.#membership?.note(to, text),
      listen: (listener) => void this.#listeners.push(listener),
    };
  }

  /** Undefined: this is no hub. */
  get boxes(): BoxesControl | undefined {
    const hub = this.#hub;
    const rollout = this.#rollout;
    if (hub === undefined || rollout === undefined) return undefined;
    return {
      problem: this.#problem,
      catalogue: hub.catalogue,
      documents: hub.documents,
      boxes: () => hub.boxes(),
      box: (id) => hub.box(id),
      makeCode: () => hub.makeCode(),
      remove: (id) => hub.remove(id),
      place: (id, position) => hub.place(id, position),
      open: (id, request) => hub.open(id, request),
      liveHub: (id) => hub.liveHub(id),
      openLive: (id, by, request) => hub.openLive(id, by, request),
      rollout,
    };
  }

  get #required(): HubMembership {
    if (this.#membership !== undefined) return this.#membership;
    throw new NvrdError("NOT_FOUND", "this recorder belongs to no hub", { hint: "join one: POST /api/hub" });
  }

  async #loaded(): Promise<HubMembership> {
    if (this.#membership !== undefined) return this.#membership;
    const { HubMembership, startLinkThread } = await import("../../../fleet/index.js");
    const { settings, site, health, api, clock, log } = this.#options;
    this.#membership ??= new HubMembership({
      dataDir: settings.dataDir,
      boxId: () => site.current.server.id,
      about: () => {
        const { server, revision } = site.current;
        return { name: server.name, version: readVersion(), revision, ...boxHealth(health()) };
      },
      openDoor: (directory) => this.#openDoor(directory),
      startThread: startLinkThread,
      onChange: () => api()?.recheckStreams(),
      storageOf: (access) => {
        const target = site.current.awayTargets.find(({ id }) => id === access.targetId);
        return target === undefined || placeOf(target) !== access.place ? undefined : handed(target, access);
      },
      onNote: (from, text) => {
        for (const listener of this.#listeners) listener(from, text);
      },
      ...{ clock, log },
    });
    return this.#membership;
  }

  async #openDoor(directory: string) {
    const api = this.#options.api();
    if (api === undefined) throw new NvrdError("NOT_AVAILABLE", "the recorder is still starting");
    const address = socketAddress(directory, SOCKET_NAME);
    try {
      const door = await api.openHubDoor(address.path);
      return {
        path: address.path,
        stop: async () => {
          await door.stop();
          address.close();
        },
      };
    } catch (error) {
      address.close();
      throw error;
    }
  }

  async #startHub(): Promise<void> {
    const { Hub, Rollout } = await import("../../../fleet/index.js");
    const { openStandIn, removeStandIns } = await import("./stand-in-service.js");
    const { settings, site, clock, log } = this.#options;
    const { dataDir, listen, hubPort, hubAddress } = settings;
    const address = readHubAddress(hubAddress ?? "");
    await removeStandIns(dataDir);
    const standIns = {
      ...{ dataDir, cacheBytesMax: settings.bucketCacheBytes, api: this.#options.api, clock, log },
      channelsOf: (id: Guid) => this.#channelsOf(id),
    };
    const found = await sharedHub(settings, clock);
    const shared = found === undefined ? undefined : { ...found, logins: this.#hubLogins };
    this.#hub = new Hub({
      openStandIn: (box) => openStandIn(standIns, box),
      ...{ dataDir, listen, port: hubPort, clock, log, ...(shared === undefined ? {} : { shared }) },
      host: () => address?.host ?? reachableAddress(listen),
      isTaken: (id) => site.current.cameras.some((camera) => camera.id === id),
      publicPort: address?.port,
      connectionsMax: descriptorShares(settings).hub,
      onPeerLive: (live) => void this.#servePeer(live),
    });
    if (shared !== undefined) await this.#shareLogins(this.#hub, shared);
    const inbox = new Inbox({ directory: path.join(dataDir, ...BUNDLE), clock });
    this.#rollout = new Rollout({ dataDir, hub: this.#hub, inbox, clock, log });
    await this.#listen(this.#hub);
  }

  /** What is known of a recorder's channels, by its own ids. */
  #channelsOf(boxId: Guid): readonly { readonly id: Guid; readonly name: string }[] {
    const { boxes = [] } = this.#hub?.catalogue ?? {};
    const { channels = [] } = boxes.find((box) => box.boxId === boxId) ?? {};
    return channels.flatMap(({ Id, Name }) => {
      const id = this.#hub?.catalogue.place(Id)?.ownId;
      return id === undefined ? [] : [{ id, name: Name }];
    });
  }

  get #hubLogins(): HubLogins {
    const { logins } = this.#options;
    return {
      sessionElsewhere: (key) => void logins()?.sessions.changedElsewhere(key),
      takeTicket: (key) => logins()?.oidc?.takeFor(key),
    };
  }

  /** Who logs in at one of the hubs is logged in at all of them. */
  async #shareLogins(hub: Hub, { store, authority }: SharedHub): Promise<void> {
    const logins = this.#options.logins();
    if (logins === undefined) throw new Error("a hub starts after its logins");
    const [{ SharedSessions }, { SealedDocuments }] = await Promise.all([
      import("../../../access/index.js"),
      import("../../../fleet/index.js"),
    ]);
    const { clock, log } = this.#options;
    const documents = new SealedDocuments(store, { authorityKey: authority.key, purpose: "sessions" });
    const say = (key: string): void => hub.sessionChanged(key);
    logins.sessions.share(new SharedSessions({ documents, say, clock, log }));
    logins.oidc?.share((key) => hub.takeTicket(key));
  }

  /** Before the API is there nobody watches anything, here or at another hub. */
  async #servePeer(live: PeerLive): Promise<void> {
    const api = this.#options.api();
    if (api === undefined) live.stream.close();
    else await api.servePeerLive(live);
  }

  /** Recording comes first: a port that is not available is tried again. */
  async #listen(hub: Hub): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await hub.start();
      this.#problem = undefined;
      await this.#rollout?.start();
      log.info({ port: hub.port }, "the hub is listening");
    } catch (error) {
      this.#problem = errorText(error);
      log.error({ reason: this.#problem }, "the hub does not listen: it is tried again");
      if (!this.#isStopped) this.#retry = clock.setTimeout(() => void this.#listen(hub), RETRY_MS);
    }
  }
}

function placeOf({ endpoint, bucket, prefix }: AwayTarget): string {
  return [endpoint, bucket, prefix].join(" ");
}

function handed(
  target: AwayTarget,
  { accessKeyId, secretAccessKey, handsKey }: StorageAccess,
): HandedStorage {
  const { endpoint, region, bucket, prefix, style, authority, identity } = target;
  const place = { endpoint, region, bucket, prefix, style, authority };
  return { ...place, accessKeyId, secretAccessKey, identity: handsKey ? identity : "" };
}

/** The recorder's health for the hub. */
function boxHealth(digest: HealthDigest | undefined): Pick<BoxAbout, "health" | "figures"> {
  if (digest === undefined) return { health: "" };
  const { summary, daysLeft = null, ...figures } = digest;
  return { health: summary, figures: { ...figures, daysLeft } };
}
