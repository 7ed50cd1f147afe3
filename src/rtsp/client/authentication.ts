import { createHash } from "node:crypto";
import type { RtspResponse } from "../message/rtsp-message.js";
import type { RtspCredentials } from "../message/rtsp-url.js";

/**
 * Client side of HTTP authentication, as RTSP (RFC 2326, 14) and a camera's web services use it: Basic (RFC 7617), Digest
 * with MD5, SHA-256 and SHA-512-256, `-sess` variants, with qop `auth` and `auth-int`, and without (RFC 7616, RFC 2617).
 */

/** Longest parameter of a challenge that is kept, in characters. */
const PARAMETER_LENGTH_MAX = 1024;
/** Most challenges read from one response. */
const CHALLENGES_MAX = 16;

export interface Challenge {
  /** Lower case: "basic" or "digest"; other schemes are parsed but never chosen. */
  readonly scheme: string;
  /** Names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Schemes that begin a challenge wherever they stand. */
const SCHEMES: ReadonlySet<string> = new Set(["basic", "digest", "bearer", "negotiate", "ntlm"]);

/** Splits WWW-Authenticate values into challenges; several may share one value, joined by commas. */
export function parseChallenges(values: readonly string[]): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const value of values) {
    const token = /([!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s,"]*))?/giy;
    const text = value.slice(0, 16 * PARAMETER_LENGTH_MAX);
    let at = 0;
    /** The parameter whose value may go on: it has no quotes, and no comma came since. */
    let open = "";
    while (at < text.length && challenges.length < CHALLENGES_MAX) {
      token.lastIndex = at;
      const match = token.exec(text);
      if (match === null) {
        if (text[at] === ",") open = "";
        at += 1;
        continue;
      }
      at = token.lastIndex;
      const [, word = "", raw] = match;
      const name = word.toLowerCase();
      const parameters = challenges.at(-1)?.parameters;
      if (raw !== undefined) {
        parameters?.set(name, unquote(raw).slice(0, PARAMETER_LENGTH_MAX));
        open = raw.startsWith('"') ? "" : name;
      } else if (parameters === undefined || open === "" || SCHEMES.has(name)) {
        challenges.push({ scheme: name, parameters: new Map() });
        open = "";
      }
      // Some write blanks without quotes: `realm=IP Camera`.
      else parameters.set(open, `${parameters.get(open) ?? ""} ${word}`.slice(0, PARAMETER_LENGTH_MAX));
    }
  }
  return challenges;
}

function unquote(raw: string): string {
  return raw.startsWith('"') ? raw.slice(1, -1).replace(/\\(.)/g, "$1") : raw;
}

/** Hash and relative strength by the algorithm's name, without `sess` and whatever joins its parts. */
const ALGORITHMS: ReadonlyMap<string, { readonly hash: string; readonly strength: number }> = new Map([
  ["sha512256", { hash: "sha512-256", strength: 3 }],
  ["sha256", { hash: "sha256", strength: 3 }],
  ["md5", { hash: "md5", strength: 2 }],
]);
const BASIC_STRENGTH = 1;

function algorithmOf(
  challenge: Challenge,
): { hash: string; strength: number; isSession: boolean } | undefined {
  const name = (challenge.parameters.get("algorithm") || "MD5").toLowerCase().replace(/[^a-z0-9]/g, "");
  const isSession = name.endsWith("sess");
  const algorithm = ALGORITHMS.get(isSession ? name.slice(0, -"sess".length) : name);
  return algorithm === undefined ? undefined : { ...algorithm, isSession };
}

/** 0 for challenges that cannot be answered. */
function strengthOf(challenge: Challenge): number {
  if (challenge.scheme === "basic") return BASIC_STRENGTH;
  if (challenge.scheme !== "digest" || !challenge.parameters.has("nonce")) return 0;
  const qop = challenge.parameters.get("qop");
  if (qop !== undefined && qop.trim() !== "" && qopOf(qop) === undefined) return 0;
  return algorithmOf(challenge)?.strength ?? 0;
}

/** The quality of protection to answer with: `auth`, which every server knows, before `auth-int`; undefined: none known. */
function qopOf(offered: string): "auth" | "auth-int" | undefined {
  const names = offered.toLowerCase().split(/[\s,]+/);
  return (["auth", "auth-int"] as const).find((name) => names.includes(name));
}

/** What to do after a 401: retry with `authorization`, or give up, and why. */
export type ChallengeVerdict = "retry" | "no-credentials" | "refused" | "unsupported";

/** Answers one server's challenges with one pair of credentials, across its connections. */
export class Authenticator {
  readonly #credentials: RtspCredentials | undefined;
  readonly #clientNonce: () => string;
  readonly #digestOnly: boolean;
  #challenge: Challenge | undefined;
  #nonceCount = 0;
  /** The nonce was accepted before, or is from an earlier connection: a 401 with another nonce means that it is stale. */
  #mayBeStale = false;

  /** `clientNonce` returns new unguessable text on each call. `digestOnly`: the password itself is never sent. */
  constructor(
    credentials: RtspCredentials | undefined,
    clientNonce: () => string,
    { digestOnly = false }: { readonly digestOnly?: boolean } = {},
  ) {
    this.#credentials = credentials;
    this.#clientNonce = clientNonce;
    this.#digestOnly = digestOnly;
  }

  /** The login is sent as a digest; false also while none is sent. */
  get isDigest(): boolean {
    return this.#challenge?.scheme === "digest";
  }

  /** Whether a challenge is known, so that requests carry credentials. */
  get isReady(): boolean {
    return this.#challenge !== undefined;
  }

  /** Call after a response other than 401 to a request with credentials. */
  accepted(): void {
    if (this.#challenge !== undefined) this.#mayBeStale = true;
  }

  /** Call before the next request goes over a new connection: some servers tie nonces to connections. */
  reconnected(): void {
    if (this.#challenge !== undefined) this.#mayBeStale = true;
  }

  /**
   * Handles a 401. `sent`: whether the request carried credentials. Returns "retry" for a stale nonce; the caller
   * retries a request only once for that.
   */
  challenged(response: Pick<RtspResponse, "headers">, sent: boolean): ChallengeVerdict {
    const challenges = parseChallenges(response.headers.get("www-authenticate") ?? []).filter(
      ({ scheme }) => scheme !== "basic" || !this.#digestOnly,
    );
    const strongest = challenges.reduce<Challenge | undefined>(
      (best, next) => (strengthOf(next) > (best === undefined ? 0 : strengthOf(best)) ? next : best),
      undefined,
    );
    if (this.#credentials === undefined) return "no-credentials";
    if (strongest === undefined) return sent ? "refused" : "unsupported";
    if (sent && !this.#isStale(strongest)) return "refused";
    this.#challenge = strongest;
    this.#nonceCount = 0;
    this.#mayBeStale = false;
    return "retry";
  }

  /** The server names the nonce of the next request in Authentication-Info (RFC 7616, 3.5): the former one is used up. */
  informed(authenticationInfo: string): void {
    const [info] = parseChallenges([`Digest ${authenticationInfo}`]);
    const nonce = info?.parameters.get("nextnonce") ?? "";
    const challenge = this.#challenge;
    if (nonce === "" || challenge?.scheme !== "digest") return;
    if (nonce !== challenge.parameters.get("nonce")) this.#nonceCount = 0;
    this.#challenge = { ...challenge, parameters: new Map([...challenge.parameters, ["nonce", nonce]]) };
  }

  /**
   * The Authorization value for a request with `body`, a character for each byte, as heads are written and read: the server's
   * words in whatever encoding it has, ours in UTF-8. Undefined before the first challenge.
   */
  authorization(method: string, uri: string, body = ""): string | undefined {
    const challenge = this.#challenge;
    const credentials = this.#credentials;
    if (challenge === undefined || credentials === undefined) return undefined;
    if (challenge.scheme === "basic") {
      return `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`, "utf8").toString("base64")}`;
    }
    return this.#digest(challenge, credentials, { method, uri, body });
  }

  #isStale(challenge: Challenge): boolean {
    if (challenge.scheme !== "digest") return false;
    const isNew = challenge.parameters.get("nonce") !== this.#challenge?.parameters.get("nonce");
    const saysStale = challenge.parameters.get("stale")?.toLowerCase() === "true";
    return isNew && (saysStale || this.#mayBeStale);
  }

  /** RFC 7616, 3.4.1; without qop as in RFC 2069, kept by RFC 2617, 3.2.2.1. */
  #digest(
    challenge: Challenge,
    credentials: RtspCredentials,
    { method, uri, body }: { readonly method: string; readonly uri: string; readonly body: string },
  ): string {
    const { parameters } = challenge;
    const algorithm = algorithmOf(challenge) ?? { hash: "md5", isSession: false };
    const hash = (bytes: string): string => createHash(algorithm.hash).update(bytes, "latin1").digest("hex");
    const [user, password] = [byteText(credentials.user), byteText(credentials.password)];
    const realm = parameters.get("realm") ?? "";
    const nonce = parameters.get("nonce") ?? "";
    const clientNonce = this.#clientNonce();
    this.#nonceCount += 1;
    const count = this.#nonceCount.toString(16).padStart(8, "0");
    const secret = hash(`${user}:${realm}:${password}`);
    const first = algorithm.isSession ? hash(`${secret}:${nonce}:${clientNonce}`) : secret;
    const qop = qopOf(parameters.get("qop") ?? "");
    const second = hash(`${method}:${uri}${qop === "auth-int" ? `:${hash(byteText(body))}` : ""}`);
    const response =
      qop === undefined
        ? hash(`${first}:${nonce}:${second}`)
        : hash(`${first}:${nonce}:${count}:${clientNonce}:${qop}:${second}`);
    const fields = [
      `username=${quote(user)}`,
      `realm=${quote(realm)}`,
      `nonce=${quote(nonce)}`,
      `uri=${quote(uri)}`,
      `response="${response}"`,
    ];
    const named = parameters.get("algorithm");
    if (named !== undefined && named !== "") fields.push(`algorithm=${named}`);
    const opaque = parameters.get("opaque");
    if (opaque !== undefined) fields.push(`opaque=${quote(opaque)}`);
    if (qop !== undefined) fields.push(`qop=${qop}`, `nc=${count}`);
    if (qop !== undefined || algorithm.isSession) fields.push(`cnonce="${clientNonce}"`);
    return `Digest ${fields.join(", ")}`;
  }
}

/** A character for each byte of a text in UTF-8. */
function byteText(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
