import { createHash, hash, randomBytes } from "node:crypto";
import * as v from "valibot";
import { type Clock, type Log, NvrdError, Semaphore, US_PER_SECOND } from "../../base/index.js";
import { NAME_LENGTH_MAX } from "../../contract/index.js";
import type { DirectoryUser } from "../ldap/directory.js";
import { type OidcClaims, type OidcProofs, OidcProvider, type OidcSettings } from "./oidc-provider.js";

/** How long a login may take at the provider. */
export const OIDC_TICKET_SECONDS = 600;
/** Logins that are under way; of more the oldest begin anew. */
const TICKETS_MAX = 512;
const TICKET_BYTES = 32;
const TICKET_PATTERN = /^[A-Za-z0-9_-]{43}$/;
/** What is asked of the provider at once, and what waits for it. */
const AT_ONCE = 4;
const WAITING_MAX = 16;
const QUERY_LENGTH_MAX = 8192;
/** Groups of a user that are looked at. */
const GROUPS_MAX = 1000;
const GROUP_LENGTH_MAX = 256;
const SUBJECT_LENGTH_MAX = 255;

const proof = v.pipe(v.string(), v.maxLength(256));
const PROOFS = v.object({ state: proof, nonce: proof, verifier: proof });

/** Somebody whom the provider vouches for. */
export interface OidcUser {
  readonly name: string;
  readonly directoryUser: DirectoryUser;
}

interface Ticket {
  readonly proofs: OidcProofs;
  readonly untilUs: number;
}

/** Logins at a provider of OpenID Connect. A login belongs to the browser that has begun it. */
export class OidcLogins {
  readonly #settings: OidcSettings;
  readonly #clock: Clock;
  readonly #provider: OidcProvider;
  /** By the hash of what the browser keeps; the oldest first. */
  readonly #tickets = new Map<string, Ticket>();
  readonly #turns = new Semaphore({ atOnce: AT_ONCE, waitingMax: WAITING_MAX });
  #takeElsewhere: (key: string) => Promise<string | undefined> = () => Promise.resolve(undefined);
  readonly mark: string;

  constructor({
    settings,
    clock,
    log,
  }: { readonly settings: OidcSettings; readonly clock: Clock; readonly log: Log }) {
    this.#settings = settings;
    this.#clock = clock;
    this.#provider = new OidcProvider({ settings, clock, log: log.child({ part: "oidc" }) });
    const { issuer, clientId, nameClaim, groupClaim } = settings;
    this.mark = hash(
      "sha256",
      `oidc ${JSON.stringify([issuer, clientId, nameClaim, groupClaim])}`,
      "base64url",
    );
  }

  /** What the button says. */
  get label(): string {
    return this.#settings.label;
  }

  /** Where a browser goes, and what it keeps until it comes back. Rejects with NvrdError NOT_AVAILABLE. */
  async begin(): Promise<{ readonly url: string; readonly ticket: string }> {
    const { url, proofs } = await this.#turns.run(() => this.#provider.begin());
    const ticket = randomBytes(TICKET_BYTES).toString("base64url");
    const [oldest] = this.#tickets.keys();
    if (this.#tickets.size >= TICKETS_MAX && oldest !== undefined) this.#tickets.delete(oldest);
    const untilUs = this.#clock.monotonicUs() + OIDC_TICKET_SECONDS * US_PER_SECOND;
    this.#tickets.set(keyOf(ticket), { proofs, untilUs });
    return { url, ticket };
  }

  /**
   * Who has come back with this query, in the browser that keeps this ticket. Each ticket counts once. Rejects with NvrdError UNAUTHORIZED or
   * NOT_AVAILABLE.
   */
  async finish(ticket: string | undefined, query: string): Promise<OidcUser> {
    const proofs = this.#take(ticket) ?? (await this.#proofsElsewhere(ticket));
    if (proofs === undefined || query.length > QUERY_LENGTH_MAX)
      throw new NvrdError("UNAUTHORIZED", "this login was not begun in this browser, or too long ago", {
        hint: "log in again",
      });
    return this.#userOf(await this.#turns.run(() => this.#provider.finish(query, proofs)));
  }

  /** A browser may come back to this server that has begun at another one: it is asked of there, by the key of its ticket. */
  share(takeElsewhere: (key: string) => Promise<string | undefined>): void {
    this.#takeElsewhere = takeElsewhere;
  }

  /** Takes what is remembered here of a login, for another server; it counts once. */
  takeFor(key: string): string | undefined {
    const proofs = this.#takeKey(key);
    return proofs === undefined ? undefined : JSON.stringify(proofs);
  }

  async #proofsElsewhere(ticket: string | undefined): Promise<OidcProofs | undefined> {
    if (ticket === undefined || !TICKET_PATTERN.test(ticket)) return undefined;
    const read = v.safeParse(
      v.pipe(v.string(), v.parseJson(), PROOFS),
      await this.#takeElsewhere(keyOf(ticket)),
    );
    return read.success ? read.output : undefined;
  }

  #take(ticket: string | undefined): OidcProofs | undefined {
    return ticket === undefined || !TICKET_PATTERN.test(ticket) ? undefined : this.#takeKey(keyOf(ticket));
  }

  #takeKey(key: string): OidcProofs | undefined {
    const found = this.#tickets.get(key);
    this.#tickets.delete(key);
    return found === undefined || found.untilUs <= this.#clock.monotonicUs() ? undefined : found.proofs;
  }

  #userOf(claims: OidcClaims): OidcUser {
    const { issuer, nameClaim, groupClaim } = this.#settings;
    const { sub } = claims;
    if (sub === "" || sub.length > SUBJECT_LENGTH_MAX)
      throw new NvrdError("UNAUTHORIZED", "the provider of logins names nobody", { hint: "" });
    const said = claims[nameClaim];
    const name = isName(said) ? said : isName(sub) ? sub : "somebody";
    // Never the name of a user of this server alone, whatever the provider calls somebody.
    const place = ` @ ${new URL(issuer).host}`;
    const subject = createHash("sha256")
      .update(JSON.stringify([issuer, sub]))
      .digest("base64url");
    return {
      name: `${name.slice(0, Math.max(1, NAME_LENGTH_MAX - place.length))}${place}`.slice(0, NAME_LENGTH_MAX),
      directoryUser: { dn: `oidc:${subject}`, groups: groupsIn(claims[groupClaim]), provider: "oidc" },
    };
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !/\p{Cc}/u.test(value);
}

/** A list of names, or one; anything else is none. */
function groupsIn(value: unknown): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  return listed
    .slice(0, GROUPS_MAX)
    .filter(
      (name): name is string => typeof name === "string" && name !== "" && name.length <= GROUP_LENGTH_MAX,
    );
}

function keyOf(ticket: string): string {
  return hash("sha256", ticket, "base64url");
}
