import type { Principal } from "../../access/index.js";
import type { AwayControl } from "../../away/index.js";
import { type Clock, NvrdError, Semaphore } from "../../base/index.js";
import type { Announcements } from "../../camera/index.js";
import {
  type AnswerFormat,
  documentTexts,
  documentType,
  type MadeBody,
  makeBody,
  type OpenStreams,
  type ServerReach,
} from "../../route/index.js";
import type { SiteStore, UserGroup } from "../../site/index.js";
import type { KnownFormats } from "../channel/index.js";
import {
  type ConfigurationView,
  describeConfiguration,
  type OtherServers,
  type PartnerServer,
} from "./configuration-description.js";

/** The recorders of the LAN that stand by this one. */
export interface PartnerServers {
  /** The same list while nothing changes. */
  readonly servers: readonly PartnerServer[];
}

/** What the routes of this topic work with. */
export interface ConfigurationNeeds {
  readonly site: SiteStore;
  readonly formats: KnownFormats;
  /** Servers whose channels this one gives too, the same object while nothing of them changes; undefined: there are none. */
  readonly otherServers: (principal: Principal) => OtherServers | undefined;
  readonly configurationAnswers: ConfigurationAnswers;
  /** Paths of all routes. */
  readonly servedPaths: ReadonlySet<string>;
  readonly away: AwayControl;
  readonly partners: PartnerServers;
  readonly announcements: Pick<Announcements, "list">;
  readonly clock: Clock;
  readonly openStreams: OpenStreams;
  /** Version of the software. */
  readonly version: string;
  /** Type of the licence: the configuration API needs Enterprise or Ultra. */
  readonly productType: string;
  /** The addresses and ports this server is reached at. */
  readonly reach: ServerReach;
}

/** Maximum size of the cache: 256 cameras need 0.25 MB per group and format. */
export const REMEMBERED_ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** Made at once: each may have some MB at a hub. */
const MAKING_MAX = 2;
/** That wait for being made, each for another group, format or revision. */
const WAITING_MAX = 62;
/** Long ones on their way at once, each of another revision or group. */
const SENDING_MAX = 8;

interface Remembered {
  readonly group: UserGroup;
  readonly body: MadeBody;
}

interface Making {
  readonly group: UserGroup;
  readonly body: Promise<MadeBody>;
}

/**
 * Makes the answers of GET /configex, and caches them per revision: they depend only on the user's group, and clients repeat the request
 * often. Those of a hub have all channels of its recorders: they are made in slices, and once for all that ask meanwhile.
 */
export class ConfigurationAnswers {
  readonly #answers = new Map<string, Remembered>();
  #bytes = 0;
  readonly #making = new Map<string, Making>();
  readonly #turns = new Semaphore({ atOnce: MAKING_MAX, waitingMax: WAITING_MAX });
  /** Who is sent each of the long ones. */
  readonly #sending = new Map<MadeBody, number>();
  /** Of which configuration and addresses the remembered answers are. */
  #of:
    | (Pick<ConfigurationView, "site" | "reach" | "partners" | "others"> & { readonly formats: number })
    | undefined;

  readonly #clock: Clock;
  readonly #bytesMax: number;

  constructor(clock: Clock, bytesMax: number = REMEMBERED_ANSWER_BYTES_MAX) {
    this.#clock = clock;
    this.#bytesMax = bytesMax;
  }

  /** Number of cached answers. */
  get size(): number {
    return this.#answers.size;
  }

  /** Rejects with NvrdError TOO_MANY_REQUESTS where too many are to be made. */
  async body(view: ConfigurationView, format: AnswerFormat): Promise<MadeBody> {
    this.#forgetOthers(view);
    const { group } = view.principal;
    const key = `${group.id} ${format} ${view.timeZoneOffsetHours}`;
    // A user whose login was checked under another revision has that revision's group, with the same id.
    const known = this.#answers.get(key);
    if (known?.group === group) return known.body;
    const making = this.#making.get(key);
    return await (making?.group === group ? making.body : this.#make(view, format, key));
  }

  /** Runs what sends the body. Rejects with NvrdError NOT_AVAILABLE where too many long ones are on their way. */
  async whileSent<T>(body: MadeBody, send: () => Promise<T>): Promise<T> {
    if (body.pieces.length <= 1) return await send();
    const before = this.#sending.get(body) ?? 0;
    if (before === 0 && this.#sending.size >= SENDING_MAX)
      throw new NvrdError("NOT_AVAILABLE", "too many different configurations are being sent", {
        hint: "ask again, or for one recorder: /boxes/{id}/configex",
      });
    this.#sending.set(body, before + 1);
    try {
      return await send();
    } finally {
      const left = (this.#sending.get(body) ?? 1) - 1;
      if (left === 0) this.#sending.delete(body);
      else this.#sending.set(body, left);
    }
  }

  async #make(view: ConfigurationView, format: AnswerFormat, key: string): Promise<MadeBody> {
    const { group } = view.principal;
    const body = this.#turns.run(() =>
      makeBody(documentTexts(describeConfiguration(view), format), documentType(format), this.#clock),
    );
    const making = { group, body };
    this.#making.set(key, making);
    try {
      const made = await body;
      // Something has changed meanwhile: who asks next gets another one.
      if (this.#making.get(key) === making) this.#remember(key, { group, body: made });
      return made;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }

  #forgetOthers({ site, reach, partners, others, formats: known }: ConfigurationView): void {
    const formats = known?.formatsRevision ?? 0;
    const before = this.#of;
    if (
      before?.site === site &&
      before.reach === reach &&
      before.formats === formats &&
      before.partners === partners &&
      before.others === others
    )
      return;
    this.#answers.clear();
    this.#making.clear();
    this.#bytes = 0;
    this.#of = { site, reach, partners, others, formats };
  }

  #remember(key: string, remembered: Remembered): void {
    this.#forget(key);
    this.#answers.set(key, remembered);
    this.#bytes += remembered.body.bytes;
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const known = this.#answers.get(key);
    if (known === undefined) return;
    this.#bytes -= known.body.bytes;
    this.#answers.delete(key);
  }
}
