import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/index.js";

const AUTH_SCHEMES = ["Digest SHA-256", "Digest MD5", "Basic"] as const;

export type AuthScheme = (typeof AUTH_SCHEMES)[number];

/** The one user of a server. Digest needs the plain password, so this is for demo cameras and tests. */
export interface ServerCredentials {
  readonly user: string;
  readonly password: string;
  /** Schemes offered, the preferred one first; default: all three. */
  readonly schemes?: readonly AuthScheme[];
}

export type AuthResult =
  | { readonly granted: true }
  /** Values for WWW-Authenticate headers, one each. */
  | { readonly granted: false; readonly challenges: readonly string[] };

const REALM = "nvrd";
/** A nonce older than this is stale: the client computes a new response without asking its user. */
export const NONCE_LIFETIME_MS = 5 * 60 * 1000;
const NONCE_BYTES = 16;

/**
 * Checks the credentials of one connection's requests (RFC 7617, RFC 7616, RFC 2617). Nonces are per connection, and
 * with `qop=auth` the nonce count must rise, so that an intercepted header cannot be replayed. The hashed URI is taken
 * from the client's header, because players hash the URL with or without the track.
 */
export class ServerAuthenticator {
  readonly #credentials: ServerCredentials;
  readonly #clock: Clock;
  #nonce = "";
  #nonceUs = 0;
  #nonceCount = 0;

  constructor(options: { credentials: ServerCredentials; clock: Clock }) {
    this.#credentials = options.credentials;
    this.#clock = options.clock;
  }

  check(method: string, authorization: string | undefined): AuthResult {
    if (authorization === undefined) return this.#challenge(false);
    if (/^basic /i.test(authorization)) {
      return this.#offers("Basic") && this.#isBasicValid(authorization)
        ? { granted: true }
        : this.#challenge(false);
    }
    if (/^digest /i.test(authorization)) return this.#checkDigest(method, parseDigest(authorization));
    return this.#challenge(false);
  }

  #isBasicValid(authorization: string): boolean {
    const { user, password } = this.#credentials;
    const given = Buffer.from(authorization.slice("basic ".length).trim(), "base64");
    return isSameSecret(given, Buffer.from(`${user}:${password}`));
  }

  #checkDigest(method: string, answer: ReadonlyMap<string, string>): AuthResult {
    const scheme = schemeOf(answer.get("algorithm"));
    if (scheme === undefined || !this.#offers(scheme)) return this.#challenge(false);
    const expected = this.#digestResponse(scheme, method, answer);
    const given = (answer.get("response") ?? "").toLowerCase();
    const isUserValid = answer.get("username") === this.#credentials.user && answer.get("realm") === REALM;
    if (!isSameSecret(Buffer.from(given), Buffer.from(expected)) || !isUserValid)
      return this.#challenge(false);
    return this.#isFresh(answer) ? { granted: true } : this.#challenge(true);
  }

  #digestResponse(scheme: AuthScheme, method: string, answer: ReadonlyMap<string, string>): string {
    const hash = (text: string) =>
      createHash(scheme === "Digest MD5" ? "md5" : "sha256")
        .update(text)
        .digest("hex");
    const { user, password } = this.#credentials;
    const nonce = answer.get("nonce") ?? "";
    const secret = hash(`${user}:${REALM}:${password}`);
    const request = hash(`${method}:${answer.get("uri") ?? ""}`);
    const qop = answer.get("qop");
    return qop === undefined
      ? hash(`${secret}:${nonce}:${request}`)
      : hash(`${secret}:${nonce}:${answer.get("nc") ?? ""}:${answer.get("cnonce") ?? ""}:${qop}:${request}`);
  }

  #isFresh(answer: ReadonlyMap<string, string>): boolean {
    const ageMs = (this.#clock.monotonicUs() - this.#nonceUs) / 1000;
    if (this.#nonce === "" || answer.get("nonce") !== this.#nonce || ageMs > NONCE_LIFETIME_MS) return false;
    if (answer.get("qop") === undefined) return true;
    const count = Number.parseInt(answer.get("nc") ?? "", 16);
    if (!(count > this.#nonceCount)) return false;
    this.#nonceCount = count;
    return true;
  }

  #challenge(stale: boolean): AuthResult {
    this.#nonce = randomBytes(NONCE_BYTES).toString("hex");
    this.#nonceUs = this.#clock.monotonicUs();
    this.#nonceCount = 0;
    const schemes = this.#credentials.schemes ?? AUTH_SCHEMES;
    return { granted: false, challenges: schemes.map((scheme) => this.#challengeFor(scheme, stale)) };
  }

  #challengeFor(scheme: AuthScheme, stale: boolean): string {
    if (scheme === "Basic") return `Basic realm="${REALM}"`;
    const algorithm = scheme === "Digest MD5" ? "MD5" : "SHA-256";
    const digest = `Digest realm="${REALM}", nonce="${this.#nonce}", algorithm=${algorithm}, qop="auth"`;
    return stale ? `${digest}, stale=true` : digest;
  }

  #offers(scheme: AuthScheme): boolean {
    return (this.#credentials.schemes ?? AUTH_SCHEMES).includes(scheme);
  }
}

function schemeOf(algorithm: string | undefined): AuthScheme | undefined {
  if (algorithm === undefined || /^md5$/i.test(algorithm)) return "Digest MD5";
  return /^sha-256$/i.test(algorithm) ? "Digest SHA-256" : undefined;
}

/** Parameters of a Digest Authorization header: `name="quoted \" text"` or `name=token`, names in lower case. */
function parseDigest(authorization: string): Map<string, string> {
  const parameters = new Map<string, string>();
  const pattern = /([a-z0-9-]{1,32})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;
  for (const [, name = "", quoted, token] of authorization.slice("digest ".length).matchAll(pattern)) {
    parameters.set(name.toLowerCase(), quoted === undefined ? (token ?? "") : quoted.replace(/\\(.)/g, "$1"));
  }
  return parameters;
}

/** Compares in constant time; hashing hides the lengths. */
function isSameSecret(one: Buffer, other: Buffer): boolean {
  const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
  return timingSafeEqual(digest(one), digest(other));
}
