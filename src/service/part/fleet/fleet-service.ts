import { existsSync } from "node:fs";
import path from "node:path";
import type { HubAdmission } from "../../../access/index.js";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  readVersion,
} from "../../../base/index.js";
import { Inbox } from "../../../box/update/index.js";
import type {
  BoxAbout,
  Hub,
  HubLimits,
  HubMembership,
  MembershipState,
  NoteWay,
  PeerLive,
  Rollout,
} from "../../../fleet/index.js";
import type { HealthDigest } from "../../../health/index.js";
import { socketAddress } from "../../../host/control/index.js";
import { reachableAddress } from "../../../http/index.js";
import type { BoxesControl, HubControl } from "../../../owner/index.js";
import { readHubAddress, type Settings } from "../../../settings/index.js";
import type { SiteStore } from "../../../site/index.js";
import type { ApiServer } from "../../api/index.js";
import { descriptorShares } from "../descriptor-shares.js";
import { type SharedSettingName, sharedHub } from "./shared-hub.js";

/** What says that a recorder belongs to a hub; see the room `fleet`. */
const MEMBERSHIP = ["fleet", "hub.json"] as const;
/** Where a bundle lies that a hub rolls out. */
const BUNDLE = ["hub", "bundle"] as const;
const SOCKET_NAME = "api.sock";
/** A port that is not available is tried again after this. */
const RETRY_MS = 10_000;

export interface FleetServiceOptions {
  readonly settings: Pick<Settings, "dataDir" | "hubPort" | "hubAddress" | "listen" | SharedSettingName>;
  readonly site: SiteStore;
  /** The health of the recorder; undefined until it has begun to record. */
  readonly health: () => HealthDigest | undefined;
  readonly api: () => ApiServer | undefined;
  readonly clock: Clock;
  readonly log: Log;
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
    const { settings, site, clock, log } = this.#options;
    const { dataDir, listen, hubPort, hubAddress } = settings;
    const address = readHubAddress(hubAddress ?? "");
    const shared = await sharedHub(settings, clock);
    this.#hub = new Hub({
      ...{ dataDir, listen, port: hubPort, clock, log, ...(shared === undefined ? {} : { shared }) },
      host: () => address?.host ?? reachableAddress(listen),
      isTaken: (id) => site.current.cameras.some((camera) => camera.id === id),
      publicPort: address?.port,
      connectionsMax: descriptorShares(settings).hub,
      onPeerLive: (live) => void this.#servePeer(live),
    });
    const inbox = new Inbox({ directory: path.join(dataDir, ...BUNDLE), clock });
    this.#rollout = new Rollout({ dataDir, hub: this.#hub, inbox, clock, log });
    await this.#listen(this.#hub);
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

/** The recorder's health for the hub. */
function boxHealth(digest: HealthDigest | undefined): Pick<BoxAbout, "health" | "figures"> {
  if (digest === undefined) return { health: "" };
  const { summary, daysLeft = null, ...figures } = digest;
  return { health: summary, figures: { ...figures, daysLeft } };
}
