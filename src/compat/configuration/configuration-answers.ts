import type { Principal } from "../../access/index.js";
import type { AwayControl } from "../../away/index.js";
import type { Clock } from "../../base/index.js";
import type { Announcements } from "../../camera/index.js";
import type { Answer } from "../../http/index.js";
import { type AnswerFormat, answerDocument, type ServerReach } from "../../route/index.js";
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
  /** Version of the software. */
  readonly version: string;
  /** Type of the licence: the configuration API needs Enterprise or Ultra. */
  readonly productType: string;
  /** The addresses and ports this server is reached at. */
  readonly reach: ServerReach;
}

/** Maximum size of the cache: 256 cameras need 0.25 MB per group and format. */
export const REMEMBERED_ANSWER_BYTES_MAX = 16 * 1024 * 1024;

interface RememberedAnswer {
  readonly group: UserGroup;
  readonly answer: Answer;
}

/**
 * Caches the answers of GET /configex per revision: they depend only on the user's group, and clients repeat the request often.
 * 64 cameras take 8 ms to describe in XML.
 */
export class ConfigurationAnswers {
  readonly #answers = new Map<string, RememberedAnswer>();
  #bytes = 0;
  /** Of which configuration and addresses the remembered answers are. */
  #of:
    | (Pick<ConfigurationView, "site" | "reach" | "partners" | "others"> & { readonly formats: number })
    | undefined;

  readonly #bytesMax: number;

  constructor(bytesMax: number = REMEMBERED_ANSWER_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Number of cached answers. */
  get size(): number {
    return this.#answers.size;
  }

  answer(view: ConfigurationView, format: AnswerFormat): Answer {
    this.#forgetOthers(view);
    const { group } = view.principal;
    const key = `${group.id} ${format} ${view.timeZoneOffsetHours}`;
    const known = this.#answers.get(key);
    // A user whose login was checked under another revision has that revision's group, with the same id.
    if (known?.group === group) return known.answer;
    const answer = answerDocument(describeConfiguration(view), format);
    this.#remember(key, { group, answer });
    return answer;
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
    this.#bytes = 0;
    this.#of = { site, reach, partners, others, formats };
  }

  #remember(key: string, remembered: RememberedAnswer): void {
    this.#forget(key);
    this.#answers.set(key, remembered);
    this.#bytes += remembered.answer.body.length;
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const known = this.#answers.get(key);
    if (known === undefined) return;
    this.#bytes -= known.answer.body.length;
    this.#answers.delete(key);
  }
}
