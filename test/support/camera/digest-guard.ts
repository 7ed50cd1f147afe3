import { createHash, randomBytes } from "node:crypto";
import { type FrontAnswer, type Guard, headerOf } from "./soap-front.js";

export interface DigestGuardOptions {
  readonly login?: string;
  readonly password?: string;
  /** As it stands between the quotes of the challenge, a character for each byte. */
  readonly realm?: string;
  readonly algorithm?: "MD5" | "MD5-sess" | "SHA-256" | "SHA-256-sess" | "SHA-512-256";
  /** The name as the device writes it; by default the algorithm's own, "" leaves it out. */
  readonly algorithmName?: string;
  /** As it stands in the challenge; undefined: none, as in RFC 2069. */
  readonly qop?: string | undefined;
  readonly opaque?: string;
  /** How many requests a nonce is good for. */
  readonly nonceUses?: number;
  /** The next nonce is named in Authentication-Info. */
  readonly namesNext?: boolean;
  /** What it says of a nonce that is used up: `stale=true`, or nothing. */
  readonly saysStale?: boolean;
  /** The count of each nonce has to rise by one. */
  readonly countsStrictly?: boolean;
  /** Further challenges before and behind its own. */
  readonly before?: readonly string[];
  readonly behind?: readonly string[];
  /** All challenges stand in one header. */
  readonly inOneHeader?: boolean;
  /** The parameters of its challenge, otherwise written. */
  readonly written?: (challenge: string) => string;
}

/** The server's side of Digest (RFC 7616, RFC 2617, RFC 2069), which counts logins that are wrong. */
export class DigestGuard {
  readonly #options: DigestGuardOptions;
  readonly #nonces = new Map<string, number>();
  refusals = 0;
  granted = 0;

  constructor(options: DigestGuardOptions = {}) {
    this.#options = { qop: "auth", algorithm: "MD5", ...options };
  }

  readonly guard: Guard = (asked) => {
    const authorization = headerOf(asked.head, "authorization");
    if (
      /^(?:<[^>]*>)?Get(SystemDateAndTime|Services|Capabilities)$/.test(asked.operation) &&
      authorization === ""
    )
      return undefined;
    if (authorization === "") return this.#challenge(false);
    const verdict = this.#verdict(authorization, asked.head.slice(0, asked.head.indexOf(" ")), asked);
    if (verdict === "granted") {
      this.granted += 1;
      return undefined;
    }
    if (verdict === "wrong") this.refusals += 1;
    return this.#challenge(verdict === "stale" && this.#options.saysStale !== false);
  };

  #challenge(isStale: boolean): FrontAnswer {
    const { realm = "camera", algorithm = "MD5", algorithmName = algorithm, qop, opaque } = this.#options;
    const nonce = randomBytes(9).toString("base64");
    this.#nonces.set(nonce, 0);
    const parts = [`realm="${realm}"`, `nonce="${nonce}"`];
    if (qop !== undefined) parts.push(`qop="${qop}"`);
    if (algorithmName !== "") parts.push(`algorithm=${algorithmName}`);
    if (opaque !== undefined) parts.push(`opaque="${opaque}"`);
    if (isStale) parts.push("stale=true");
    const own = `Digest ${parts.join(", ")}`;
    const { before = [], behind = [], inOneHeader = false, written = (text) => text } = this.#options;
    const all = [...before, written(own), ...behind];
    const body = Buffer.from("<html><body>401</body></html>");
    return { status: 401, type: "text/html", challenges: inOneHeader ? [all.join(", ")] : all, body };
  }

  #verdict(authorization: string, method: string, { path, body }: { path: string; body: string }) {
    const field = (name: string): string => {
      const match = new RegExp(`[\\s,]${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,]*))`, "i").exec(
        authorization,
      );
      return match?.[1]?.replace(/\\(.)/g, "$1") ?? match?.[2] ?? "";
    };
    const { login = "admin", password = "Secret#1", algorithm = "MD5", qop, opaque } = this.#options;
    const { realm = "camera", nonceUses = Number.POSITIVE_INFINITY, countsStrictly = true } = this.#options;
    const nonce = field("nonce");
    const uses = this.#nonces.get(nonce);
    if (uses === undefined || field("uri") !== path) return "wrong";
    const bytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
    const name = algorithm
      .replace("-sess", "")
      .replace("SHA-512-256", "sha512-256")
      .replace("SHA-256", "sha256");
    const hash = (text: string): string =>
      createHash(name.toLowerCase()).update(text, "latin1").digest("hex");
    const plainRealm = realm.replace(/\\(.)/g, "$1");
    const secret = hash(`${bytes(login)}:${plainRealm}:${bytes(password)}`);
    const first = algorithm.endsWith("-sess") ? hash(`${secret}:${nonce}:${field("cnonce")}`) : secret;
    const used = field("qop");
    const second = hash(`${method}:${path}${used === "auth-int" ? `:${hash(bytes(body))}` : ""}`);
    const expected =
      qop === undefined
        ? hash(`${first}:${nonce}:${second}`)
        : hash(`${first}:${nonce}:${field("nc")}:${field("cnonce")}:${used}:${second}`);
    const isOffered = qop === undefined ? used === "" : qop.split(/[\s,]+/).includes(used);
    const isRight = field("response") === expected && field("realm") === plainRealm && isOffered;
    if (!isRight || (opaque !== undefined && field("opaque") !== opaque)) return "wrong";
    if (uses >= nonceUses) return "stale";
    this.#nonces.set(nonce, uses + 1);
    if (qop !== undefined && countsStrictly && Number.parseInt(field("nc"), 16) !== uses + 1) return "wrong";
    return "granted";
  }
}
