import { createHash, timingSafeEqual } from "node:crypto";
import type { LoginCredentials, PasswordProof, Principal } from "../../access/index.js";
import { type Clock, NvrdError } from "../../base/index.js";
import { DigestNonces } from "./digest-nonces.js";
import { SoapFault } from "./soap-message.js";
import type { UsernameToken } from "./soap-request.js";
import { TokenWindow } from "./token-window.js";

const REALM = "nvrd";
/** The strongest first; a client takes the first one that it knows. */
const ALGORITHMS = [
  { name: "SHA-256", hash: "sha256" },
  { name: "MD5", hash: "md5" },
] as const;
type Algorithm = (typeof ALGORITHMS)[number];
const HEADER_LENGTH_MAX = 2048;
const NONCE_BYTES_MAX = 128;

export interface DeviceLoginsOptions {
  /** Checks a password that was sent. Rejects with NvrdError. */
  readonly verify: (credentials: LoginCredentials) => Promise<Principal>;
  /** Checks a digest. Throws NvrdError. */
  readonly prove: (proof: PasswordProof) => Principal;
  /** Whether the user may use ONVIF at all. */
  readonly isAllowed: (userName: string) => boolean;
  readonly clock: Clock;
}

/** What a request carries about its sender. */
export interface LoginParts {
  readonly authorization: string | undefined;
  readonly token: UsernameToken | undefined;
  readonly address: string;
  readonly method: string;
  /** Normalized. */
  readonly path: string;
}

/**
 * Who sends a request: HTTP Digest, HTTP Basic, or a token of WS-Security. Digests are checked with the passwords that are kept
 * for it, and each is good for one request.
 */
export class DeviceLogins {
  readonly #options: DeviceLoginsOptions;
  readonly #nonces: DigestNonces;
  readonly #tokens: TokenWindow;

  constructor(options: DeviceLoginsOptions) {
    this.#options = options;
    this.#nonces = new DigestNonces(options.clock);
    this.#tokens = new TokenWindow(options.clock);
  }

  /** Rejects with SoapFault NotAuthorized, or with the status 429 or 503 of a login that cannot be checked now. */
  async principal(parts: LoginParts): Promise<Principal> {
    try {
      const principal = await this.#check(parts);
      if (this.#options.isAllowed(principal.user.name)) return principal;
    } catch (error) {
      if (!(error instanceof NvrdError)) throw error;
      if (error.code !== "UNAUTHORIZED") throw waitFault(error);
    }
    throw this.#refusal({ withChallenge: parts.token === undefined });
  }

  async #check(parts: LoginParts): Promise<Principal> {
    const { authorization = "", token } = parts;
    if (authorization.length > HEADER_LENGTH_MAX) throw this.#refusal();
    if (/^digest /i.test(authorization)) return this.#checkDigest(authorization, parts);
    if (/^basic /i.test(authorization)) return await this.#checkBasic(authorization, parts);
    if (token === undefined) throw this.#refusal();
    return token.isDigest
      ? this.#checkToken(token, parts)
      : await this.#checkPlain(token.user, token.password, parts);
  }

  async #checkBasic(authorization: string, parts: LoginParts): Promise<Principal> {
    const pair = Buffer.from(authorization.slice("basic ".length).trim(), "base64").toString("utf8");
    const colon = pair.indexOf(":");
    if (colon < 1) throw this.#refusal();
    return await this.#checkPlain(pair.slice(0, colon), pair.slice(colon + 1), parts);
  }

  #checkPlain(login: string, password: string, { address }: LoginParts): Promise<Principal> {
    return this.#options.verify({
      ...{ login, password, directoryPassword: password, isPlainOrMd5: true, userType: undefined, address },
    });
  }

  #checkDigest(authorization: string, { address, method, path }: LoginParts): Principal {
    const answer = digestParameters(authorization);
    const algorithm = algorithmOf(answer.get("algorithm"));
    const [nonce, uri, qop] = [answer.get("nonce") ?? "", answer.get("uri") ?? "", answer.get("qop")];
    const count = Number.parseInt(answer.get("nc") ?? "", 16);
    const isUsable =
      algorithm !== undefined &&
      answer.get("realm") === REALM &&
      pathOf(uri) === path &&
      (qop === undefined || (qop === "auth" && count > 0));
    if (!isUsable) throw this.#refusal();
    if (!this.#nonces.isFresh(nonce)) throw this.#refusal({ stale: true });
    const login = answer.get("username") ?? "";
    const proves = (password: string): boolean => {
      const expected = digestOf(algorithm, answer, { login, password, method, uri, nonce });
      return isSame((answer.get("response") ?? "").toLowerCase(), expected);
    };
    const principal = this.#options.prove({ login, address, proves });
    if (!this.#nonces.take(nonce, qop === undefined ? undefined : count))
      throw this.#refusal({ stale: true });
    return principal;
  }

  #checkToken(token: UsernameToken, { address }: LoginParts): Principal {
    const { user: login, password: digest, nonce, created } = token;
    const createdMs = Date.parse(created);
    const random = Buffer.from(nonce, "base64");
    if (Number.isNaN(createdMs) || random.length === 0 || random.length > NONCE_BYTES_MAX)
      throw this.#refusal({ withChallenge: false });
    const offSeconds = this.#tokens.secondsOff(createdMs);
    if (offSeconds !== 0)
      throw notAuthorized(`the time of the login is ${offSeconds} s off this device's clock`);
    const proves = (password: string): boolean => {
      const expected = createHash("sha1").update(random).update(created, "utf8").update(password, "utf8");
      return isSame(digest, expected.digest("base64"));
    };
    const principal = this.#options.prove({ login, address, proves });
    if (!this.#tokens.take({ user: login, nonce: random.toString("base64"), created, createdMs }))
      throw notAuthorized("this login was used before: send another nonce with each request");
    return principal;
  }

  /** With a challenge for clients that log in by HTTP. */
  #refusal({ stale = false, withChallenge = true } = {}): SoapFault {
    const text = "Sender not Authorized";
    if (!withChallenge) return notAuthorized(text);
    const nonce = this.#nonces.issue();
    const digests = ALGORITHMS.map(({ name }) => {
      const digest = `Digest realm="${REALM}", nonce="${nonce}", algorithm=${name}, qop="auth"`;
      return stale ? `${digest}, stale=true` : digest;
    });
    const challenges = [...digests, `Basic realm="${REALM}"`];
    const headers = challenges.map((challenge) => ["WWW-Authenticate", challenge] as const);
    return new SoapFault("Sender", ["NotAuthorized"], text, { status: 401, headers });
  }
}

function notAuthorized(reason: string): SoapFault {
  return new SoapFault("Sender", ["NotAuthorized"], reason);
}

/** Too many failures, or a directory that does not answer: no verdict on the login. */
function waitFault({ code, message, retryAfterMs }: NvrdError): SoapFault {
  const seconds =
    retryAfterMs === undefined ? [] : [["Retry-After", String(Math.ceil(retryAfterMs / 1000))] as const];
  const status = code === "TOO_MANY_REQUESTS" ? 429 : 503;
  return new SoapFault("Receiver", ["Action"], message, { status, headers: seconds });
}

/** What a client sends in `response` (RFC 7616, 3.4.1; RFC 2069 without `qop`). */
function digestOf(
  { hash }: Algorithm,
  answer: ReadonlyMap<string, string>,
  given: Readonly<Record<"login" | "password" | "method" | "uri" | "nonce", string>>,
): string {
  const { login, password, method, uri, nonce } = given;
  const of = (text: string): string => createHash(hash).update(text).digest("hex");
  const secret = of(`${login}:${REALM}:${password}`);
  const request = of(`${method}:${uri}`);
  if (answer.get("qop") === undefined) return of(`${secret}:${nonce}:${request}`);
  return of(`${secret}:${nonce}:${answer.get("nc") ?? ""}:${answer.get("cnonce") ?? ""}:auth:${request}`);
}

function algorithmOf(name = "MD5"): Algorithm | undefined {
  return ALGORITHMS.find((algorithm) => algorithm.name === name.toUpperCase());
}

/** The path of what a client hashed: a path with or without a query, or a whole URL. */
function pathOf(uri: string): string {
  const path = uri.replace(/^https?:\/\/[^/]{0,512}/i, "").split("?", 1)[0] ?? "";
  return path.toLowerCase();
}

/** Parameters of a Digest header: `name="quoted \" text"` or `name=token`, names in lower case. */
function digestParameters(authorization: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const pattern = /([a-z0-9-]{1,32})\s{0,4}=\s{0,4}(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;
  for (const [, name = "", quoted, token] of authorization.slice("digest ".length).matchAll(pattern))
    parameters.set(name.toLowerCase(), quoted === undefined ? (token ?? "") : quoted.replace(/\\(.)/g, "$1"));
  return parameters;
}

/** Compares in constant time; hashing hides the lengths. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
