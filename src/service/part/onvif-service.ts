import {
  hasRight,
  isAllForbidden,
  type Principal,
  type ReadablePasswords,
  type SiteAccess,
} from "../../access/index.js";
import type { ArchiveAccess } from "../../archive/index.js";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  readVersion,
  type StreamType,
} from "../../base/index.js";
import type { Ptz } from "../../camera/index.js";
import { mayReceive, shownEvent } from "../../compat/index.js";
import type { OnvifDeviceState } from "../../contract/answer/index.js";
import type { EventLog } from "../../event/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { DiscoveryResponder, OnvifDevice, OnvifUser } from "../../onvif/index.js";
import type { OnvifDeviceControl } from "../../owner/index.js";
import { refusedViewing } from "../../player/index.js";
import type { MotionStates, SeenStates } from "../../recording/index.js";
import type { Settings } from "../../settings/index.js";
import type { Site, SiteStore, User } from "../../site/index.js";
import { onvifUsers } from "./onvif-users.js";

export interface OnvifPartOptions {
  readonly settings: Pick<Settings, "onvifDiscovery" | "onvifUsers" | "listen">;
  readonly site: SiteStore;
  readonly events: EventLog;
  readonly access: Pick<SiteAccess, "recall" | "verify" | "prove">;
  readonly readable: Pick<ReadablePasswords, "isFor" | "of">;
  readonly streams: StreamDirectory;
  readonly motion: Pick<MotionStates, "isActive" | "onMotion">;
  readonly seen: Pick<SeenStates, "of" | "onChange">;
  readonly ptz: Ptz;
  readonly archive: ArchiveAccess;
  readonly ports: () => { readonly httpPort: number; readonly httpsPort: number; readonly rtspPort: number };
  readonly clock: Clock;
  readonly log: Log;
}

/** What is running: with other settings it is begun anew. */
interface Running {
  readonly device: OnvifDevice;
  readonly responder: DiscoveryResponder | undefined;
}

/** The recorder as an ONVIF device, and its announcements, while somebody may use it. The room is loaded only then. */
export class OnvifPart implements OnvifDeviceControl {
  readonly #options: OnvifPartOptions;
  #running: Running | undefined;
  #changing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: OnvifPartOptions) {
    this.#options = options;
  }

  /** Undefined while nobody may use it. */
  get device(): OnvifDevice | undefined {
    return this.#running?.device;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get source(): OnvifDeviceState["Source"] {
    const { site, settings } = this.#options;
    if (site.current.onvifDevice !== undefined) return "Configuration";
    return settings.onvifUsers.length === 0 ? "None" : "SettingsFile";
  }

  isFor(userName: string): boolean {
    return this.#options.readable.isFor(userName);
  }

  isReady(user: User): boolean {
    return this.#options.readable.of(user) !== undefined;
  }

  async start(): Promise<void> {
    const { site } = this.#options;
    site.onChange("onvif-device", (now, before) => {
      if (now.onvifDevice !== before.onvifDevice) this.#follow();
    });
    this.#follow();
    await this.#changing;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#follow();
    await this.#changing;
  }

  #follow(): void {
    const { log } = this.#options;
    this.#changing = this.#changing
      .then(() => this.#apply())
      .catch((error: unknown) => {
        log.error({ error: errorText(error) }, "the recorder cannot be an ONVIF device");
      });
  }

  /** Names of users are asked at each login: only whether there are any, and announcements, begin something anew. */
  async #apply(): Promise<void> {
    const { settings, site } = this.#options;
    const isWanted = !this.#isStopped && onvifUsers(settings, site.current).length > 0;
    const isAnnounced = site.current.onvifDevice?.isAnnounced ?? settings.onvifDiscovery === "on";
    const before = this.#running;
    if (before !== undefined && isWanted && isAnnounced === (before.responder !== undefined)) return;
    this.#running = undefined;
    before?.device.stop();
    await before?.responder?.stop();
    if (isWanted) await this.#begin(isAnnounced);
  }

  /** Without multicast the device is not announced, and otherwise the same. */
  async #begin(isAnnounced: boolean): Promise<void> {
    const onvif = await import("../../onvif/index.js");
    const { access, readable, site, settings, ports, clock, log } = this.#options;
    const version = readVersion();
    const device = new onvif.OnvifDevice({
      ...this.#options,
      version,
      verify: async (credentials) => access.recall(credentials) ?? (await access.verify(credentials)),
      prove: (proof) => access.prove(proof),
      isAllowed: (name) => readable.isFor(name),
      userOf: (principal) => onvifUser(principal, site.current),
    });
    if (!isAnnounced) {
      this.#running = { device, responder: undefined };
      return;
    }
    const facts = { site, clock, version, ports };
    const responder = new onvif.DiscoveryResponder({
      addresses: () => onvif.answeringAddresses(settings.listen),
      devices: () => [
        {
          identity: onvif.deviceIdentity(facts),
          scopes: onvif.deviceScopes(facts),
          serviceUrl: (own) => onvif.deviceAddress({ origin: originOf(own, ports()), hostname: own }),
        },
      ],
      ...{ random: Math.random, clock, log },
    });
    this.#running = { device, responder };
    await responder.start().catch((error: unknown) => {
      log.warn({ error: errorText(error) }, "the ONVIF device is not announced: no multicast here");
    });
  }
}

function originOf(address: string, { httpPort, httpsPort }: ReturnType<OnvifPartOptions["ports"]>): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return httpPort === 0 ? `https://${host}:${httpsPort}` : `http://${host}:${httpPort}`;
}

/** What a user may do, with the functions that the API asks. Throws NvrdError FORBIDDEN. */
function onvifUser(principal: Principal, site: Site): OnvifUser {
  if (isAllForbidden(principal)) throw new NvrdError("FORBIDDEN", "your group may do nothing here");
  const { user, group } = principal;
  const isOpen = (channelId: Guid, streamType: StreamType, archived: boolean): boolean =>
    refusedViewing(principal, { of: { channelId, streamType }, sound: false, archived }) === undefined;
  return {
    who: { id: user.id, name: user.name, priority: group.ptzPriority },
    maySee: (channelId) => principal.maySee(channelId),
    mayWatch: (channelId, streamType) => isOpen(channelId, streamType, false),
    mayReplay: (channelId, streamType) => isOpen(channelId, streamType, true),
    mayHear: hasRight(principal, "CanReceiveSound"),
    mayMove: hasRight(principal, "CanPTZ"),
    mayKeepPresets: group.seniorAdministrators,
    shown: (event) => (mayReceive(principal, event) ? shownEvent(principal, site.cameras, event) : undefined),
  };
}
