import { existsSync } from "node:fs";
import path from "node:path";
import { type Clock, errorText, type Guid, type Log, readVersion } from "../../../base/index.js";
import type { PartnerServer, PartnerServers } from "../../../compat/index.js";
import { EVENT_TYPES, type EventLog } from "../../../event/index.js";
import type { NoteWay, Partner, PartnerState, Partners } from "../../../fleet/index.js";
import type { PartnersControl } from "../../../owner/index.js";
import type { Settings } from "../../../settings/index.js";
import type { SiteStore } from "../../../site/index.js";
import type { ApiServer } from "../../api/index.js";
import { descriptorShares } from "../descriptor-shares.js";

/** What says that a recorder has partners; see the room `fleet`. */
const LIST = ["partners", "partners.json"] as const;
const NONE: readonly never[] = [];

export interface PartnerServiceOptions {
  readonly settings: Pick<Settings, "dataDir" | "partnerPort" | "hubPort" | "listen">;
  readonly site: SiteStore;
  readonly events: EventLog;
  readonly api: () => ApiServer | undefined;
  /** The way to other recorders of the hub. */
  readonly notes: () => NoteWay;
  readonly clock: Clock;
  readonly log: Log;
}

/** The recorders of the LAN that stand by this one. Without one not even the code is loaded. */
export class PartnerService implements PartnersControl, PartnerServers {
  readonly #options: PartnerServiceOptions;
  readonly #left: ((partner: Partner) => void)[] = [];
  readonly #uses: ((partners: Partners) => void)[] = [];
  #partners: Partners | undefined;
  #servers: readonly PartnerServer[] = NONE;

  constructor(options: PartnerServiceOptions) {
    this.#options = options;
  }

  /** Never rejects for the partners' sake: recording goes on without them. */
  async start(): Promise<void> {
    const { settings, log } = this.#options;
    if (!existsSync(path.join(settings.dataDir, ...LIST))) return;
    try {
      await (await this.#loaded()).start();
    } catch (error) {
      log.error({ reason: errorText(error) }, "the partners of this recorder cannot be used");
    }
  }

  async stop(): Promise<void> {
    await this.#partners?.stop();
  }

  /** Calls `use` with the partners as soon as there is a reason to have them. */
  whenUsed(use: (partners: Partners) => void): void {
    this.#uses.push(use);
    if (this.#partners !== undefined) use(this.#partners);
  }

  /** Calls `listener` with each recorder that is no partner any more. */
  whenLeft(listener: (partner: Partner) => void): void {
    this.#left.push(listener);
  }

  get problem(): string | undefined {
    return this.#partners?.problem;
  }

  states(): readonly PartnerState[] {
    return this.#partners?.states() ?? NONE;
  }

  get servers(): readonly PartnerServer[] {
    const now = this.states().map(serverOf);
    // The same list while nothing changes, because cached answers of /configex refer to it.
    if (JSON.stringify(now) !== JSON.stringify(this.#servers)) this.#servers = now;
    return this.#servers;
  }

  async makeCode() {
    return await (await this.#loaded()).makeCode();
  }

  async join(code: string): Promise<Partner> {
    return await (await this.#loaded()).join(code);
  }

  async leave(id: Guid): Promise<Partner> {
    return await (await this.#loaded()).leave(id);
  }

  async #loaded(): Promise<Partners> {
    if (this.#partners !== undefined) return this.#partners;
    const { Partners } = await import("../../../fleet/index.js");
    const { settings, site, api, events, notes, clock, log } = this.#options;
    const { dataDir, listen, partnerPort: port } = settings;
    this.#partners ??= new Partners({
      ...{ dataDir, listen, port, clock, log },
      connectionsMax: descriptorShares(settings).partners,
      own: () => {
        const { id, name } = site.current.server;
        const { httpPort = 0, httpsPort = 0 } = api()?.reach ?? {};
        return { id, name, version: readVersion(), httpPort, httpsPort };
      },
      onChange: (change, partner) => {
        const { name } = partner;
        if (change === "left") for (const listener of this.#left) listener(partner);
        const { id: typeId } = EVENT_TYPES[change === "joined" ? "partnerJoined" : "partnerLeft"];
        events.raise({ typeId, comment: name });
      },
    });
    this.#partners.useNotes(notes());
    for (const use of this.#uses) use(this.#partners);
    return this.#partners;
  }
}

function serverOf({ id, name, hosts, httpPort, httpsPort }: PartnerState): PartnerServer {
  return { id, name, address: hosts[0] ?? "", httpPort, httpsPort };
}
