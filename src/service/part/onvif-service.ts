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
import type { EventLog } from "../../event/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { DiscoveryResponder, OnvifDevice, OnvifUser } from "../../onvif/index.js";
import { refusedViewing } from "../../player/index.js";
import type { MotionStates, SeenStates } from "../../recording/index.js";
import type { Settings } from "../../settings/index.js";
import type { Site, SiteStore } from "../../site/index.js";

export interface OnvifPartOptions {
  readonly settings: Pick<Settings, "onvifDiscovery" | "listen">;
  readonly site: SiteStore;
  readonly events: EventLog;
  readonly access: Pick<SiteAccess, "recall" | "verify" | "prove">;
  readonly readable: Pick<ReadablePasswords, "isFor">;
  readonly streams: StreamDirectory;
  readonly motion: Pick<MotionStates, "isActive" | "onMotion">;
  readonly seen: Pick<SeenStates, "of" | "onChange">;
  readonly ptz: Ptz;
  readonly archive: ArchiveAccess;
  readonly ports: () => { readonly httpPort: number; readonly httpsPort: number; readonly rtspPort: number };
  readonly clock: Clock;
  readonly log: Log;
}

/** The recorder as an ONVIF device, and its announcements. The room is loaded only here. */
export class OnvifPart {
  readonly #options: OnvifPartOptions;
  #device: OnvifDevice | undefined;
  #responder: DiscoveryResponder | undefined;

  constructor(options: OnvifPartOptions) {
    this.#options = options;
  }

  /** Undefined before the start and after the stop. */
  get device(): OnvifDevice | undefined {
    return this.#device;
  }

  /** Without multicast the device is not announced, and otherwise the same. */
  async start(): Promise<void> {
    const onvif = await import("../../onvif/index.js");
    const { access, readable, site, settings, ports, clock, log } = this.#options;
    const version = readVersion();
    this.#device = new onvif.OnvifDevice({
      ...this.#options,
      version,
      verify: async (credentials) => access.recall(credentials) ?? (await access.verify(credentials)),
      prove: (proof) => access.prove(proof),
      isAllowed: (name) => readable.isFor(name),
      userOf: (principal) => onvifUser(principal, site.current),
    });
    if (settings.onvifDiscovery === "off") return;
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
    this.#responder = responder;
    await responder.start().catch((error: unknown) => {
      log.warn({ error: errorText(error) }, "the ONVIF device is not announced: no multicast here");
    });
  }

  async stop(): Promise<void> {
    this.#device?.stop();
    this.#device = undefined;
    await this.#responder?.stop();
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
