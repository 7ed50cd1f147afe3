import type { CookieRequest } from "./session-cookie.js";

const ID_LENGTH = 8;
const TICKET = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The cookie that ties a login at a provider to the browser that has begun it. The provider sends the browser back from a page of another
 * site, so it is `Lax` where a session's is `Strict`; it opens nothing by itself.
 */
export class TicketCookie {
  readonly #serverId: () => string;

  constructor(serverId: () => string) {
    this.#serverId = serverId;
  }

  /** Undefined: there is none, or more than one. */
  read(request: CookieRequest): string | undefined {
    const start = `${this.#name(request)}=`;
    const cookies = (request.header("cookie") ?? "").split(/[;,]/).map((cookie) => cookie.trim());
    const [ticket, ...others] = new Set(
      cookies.filter((cookie) => cookie.startsWith(start)).map((cookie) => cookie.slice(start.length)),
    );
    return others.length === 0 && ticket !== undefined && TICKET.test(ticket) ? ticket : undefined;
  }

  /** `Set-Cookie` that gives it for so long; 0 takes it away. */
  given(request: CookieRequest, ticket: string, seconds: number): readonly [string, string] {
    const secure = request.secure ? "; Secure" : "";
    const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
    return ["Set-Cookie", `${this.#name(request)}=${ticket}; ${attributes}`];
  }

  #name({ secure }: CookieRequest): string {
    const name = `nvrd-login-${this.#serverId().slice(0, ID_LENGTH)}`;
    return secure ? `__Host-${name}` : name;
  }
}
