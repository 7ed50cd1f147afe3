import { type SessionCredentials, sessionKey } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import type { RequestContent } from "../../http/index.js";

/** The parts of a request that decide about its cookie. */
export type CookieRequest = Pick<RequestContent, "header" | "address" | "secure">;

/** Of the server's id, or what several servers have together: recorders behind one name, on several ports, share the browser's cookies. */
const ID_LENGTH = 8;

/**
 * The cookie of a session. Over HTTPS it has the prefix that binds it to this host and to HTTPS (RFC 6265bis, 4.1.3.2), so that
 * nobody on the way can plant one over plain HTTP.
 */
export class SessionCookie {
  readonly #serverId: () => string;

  constructor(serverId: () => string) {
    this.#serverId = serverId;
  }

  /** What its name is made of. */
  get id(): string {
    return this.#serverId();
  }

  /** The session of a request; undefined if it has none. Throws NvrdError UNAUTHORIZED for two different ones. */
  read(request: CookieRequest): SessionCredentials | undefined {
    const [session, ...others] = this.readAll(request);
    if (others.length > 0)
      throw new NvrdError("UNAUTHORIZED", "the request has two different session cookies", {
        hint: "delete this address's cookies in the browser and log in again",
      });
    return session;
  }

  /** All sessions of a request: somebody else may have planted a cookie beside the right one. */
  readAll(request: CookieRequest): readonly SessionCredentials[] {
    const { address } = request;
    const keys = [...this.#values(request)].map(sessionKey).filter((key) => key !== undefined);
    return keys.map((session) => ({ session, address }));
  }

  /** Whether the request has a cookie of this name at all: then it is a browser's that had logged in by the form. */
  isSent(request: CookieRequest): boolean {
    return this.#values(request).size > 0;
  }

  /** `Set-Cookie` that gives a browser its session. */
  given(request: CookieRequest, token: string, ageMs: number): readonly [string, string] {
    return this.#setCookie(request, token, Math.floor(ageMs / 1000));
  }

  /** `Set-Cookie` that takes it away. */
  taken(request: CookieRequest): readonly [string, string] {
    return this.#setCookie(request, "", 0);
  }

  #setCookie(request: CookieRequest, value: string, ageSeconds: number): readonly [string, string] {
    const secure = request.secure ? "; Secure" : "";
    const attributes = `Path=/; Max-Age=${ageSeconds}; HttpOnly; SameSite=Strict${secure}`;
    return ["Set-Cookie", `${this.#name(request)}=${value}; ${attributes}`];
  }

  #name({ secure }: CookieRequest): string {
    const name = `nvrd-session-${this.#serverId().slice(0, ID_LENGTH)}`;
    return secure ? `__Host-${name}` : name;
  }

  #values(request: CookieRequest): ReadonlySet<string> {
    const header = request.header("cookie");
    const start = `${this.#name(request)}=`;
    // Fast path: most programs send no cookie.
    if (header?.includes(start) !== true) return new Set();
    // Two Cookie headers are joined by a comma, two cookies of one by a semicolon.
    const cookies = header.split(/[;,]/).map((cookie) => cookie.trim());
    return new Set(
      cookies.filter((cookie) => cookie.startsWith(start)).map((cookie) => cookie.slice(start.length)),
    );
  }
}
