import { createHash, randomBytes } from "node:crypto";
import type { LoginDemand } from "./onvif-camera-types.js";

/** Age of a username token that is still taken, milliseconds by the device's clock. */
const TOKEN_AGE_MAX_MS = 60_000;

export interface ScriptedLoginOptions {
  readonly demand: LoginDemand;
  readonly login: string;
  readonly password: string;
  readonly now: () => Date;
  readonly oneNonceARequest: boolean;
  /** Of Digest it takes what covers the body alone. */
  readonly coversBody: boolean;
  /** Digest is offered, and only tokens are taken. */
  readonly offersDigest: boolean;
}

export interface LoginRequest {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

export type LoginOutcome = "granted" | "asked" | "refused";

/** The device's side of a login: checks tokens and Authorization as their standards say, and counts what was wrong. */
export class ScriptedLogin {
  readonly #options: ScriptedLoginOptions;
  readonly #nonces = new Set<string>();
  readonly #tokens = new Set<string>();
  /** Logins with a wrong password, by WS-Security and by HTTP. */
  refusals = 0;
  /** Passwords that came by Basic. */
  plainPasswords = 0;
  /** Requests that carried a login of any kind. */
  logins = 0;

  constructor(options: ScriptedLoginOptions) {
    this.#options = options;
  }

  check(request: LoginRequest): LoginOutcome {
    const { demand, offersDigest } = this.#options;
    const isToken = request.body.includes("UsernameToken");
    if (isToken || request.authorization !== undefined) this.logins += 1;
    if (request.authorization?.startsWith("Basic ")) this.plainPasswords += 1;
    if (demand === "none") return "granted";
    if (offersDigest && request.authorization !== undefined) return this.#count(false);
    const takesToken = demand === "token" || demand === "both";
    if (takesToken && isToken) return this.#count(this.#token(request.body));
    if (demand === "token") return "asked";
    if (request.authorization === undefined) return "asked";
    return this.#count(this.http(request));
  }

  /** Snapshots know HTTP's logins only; Digest where the services take tokens. */
  http({ method, authorization = "", body }: LoginRequest): boolean {
    if (this.#options.demand === "basic") return this.#basic(authorization);
    const field = (name: string): string =>
      new RegExp(`\\b${name}="?([^",]*)"?`).exec(authorization)?.[1] ?? "";
    const nonce = field("nonce");
    if (!this.#nonces.has(nonce)) return false;
    if (this.#options.oneNonceARequest) this.#nonces.delete(nonce);
    const { login, password, coversBody } = this.#options;
    const hash = (text: string): string => createHash(this.#algorithm()).update(text).digest("hex");
    const covered = coversBody ? `:${hash(body)}` : "";
    const [secret, resource] = [
      hash(`${login}:camera:${password}`),
      hash(`${method}:${field("uri")}${covered}`),
    ];
    const expected = hash(`${secret}:${nonce}:${field("nc")}:${field("cnonce")}:${this.#qop()}:${resource}`);
    return field("response") === expected;
  }

  /** WWW-Authenticate of a 401. */
  challenge(): string[] {
    const { demand } = this.#options;
    const { offersDigest } = this.#options;
    if (demand === "none" || (demand === "token" && !offersDigest)) return [];
    if (demand === "basic") return ['Basic realm="camera"'];
    const nonce = randomBytes(12).toString("hex");
    this.#nonces.add(nonce);
    const algorithm = demand === "digest-sha256" ? "SHA-256" : "MD5";
    return [`Digest realm="camera", nonce="${nonce}", algorithm=${algorithm}, qop="${this.#qop()}"`];
  }

  #qop(): string {
    return this.#options.coversBody ? "auth-int" : "auth";
  }

  #count(granted: boolean): LoginOutcome {
    if (!granted) this.refusals += 1;
    return granted ? "granted" : "refused";
  }

  #algorithm(): string {
    return this.#options.demand === "digest-sha256" ? "sha256" : "md5";
  }

  #basic(authorization: string): boolean {
    const { login, password } = this.#options;
    return authorization === `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`;
  }

  /** WS-Security UsernameToken Profile 1.0; a token is good once, and only around its time. */
  #token(body: string): boolean {
    const part = (name: string): string =>
      new RegExp(`<(?:[\\w-]+:)?${name}(?:\\s[^>]*)?>([^<]*)<`).exec(body)?.[1] ?? "";
    const [nonce, created, digest] = [part("Nonce"), part("Created"), part("Password")];
    const isFresh = Math.abs(Date.parse(created) - this.#options.now().getTime()) <= TOKEN_AGE_MAX_MS;
    if (this.#tokens.has(nonce) || !isFresh) return false;
    this.#tokens.add(nonce);
    const expected = createHash("sha1")
      .update(Buffer.from(nonce, "base64"))
      .update(created)
      .update(this.#options.password)
      .digest("base64");
    const login = part("Username").replace(/&#(\d+);/g, (_, code: string) =>
      String.fromCodePoint(Number(code)),
    );
    return login === this.#options.login && digest === expected;
  }
}
