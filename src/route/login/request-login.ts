import type { Access, Credentials, Principal } from "../../access/index.js";
import { type Clock, NvrdError } from "../../base/index.js";
import type { RequestContent } from "../../http/index.js";
import type { User } from "../../site/index.js";
import { noCredentials } from "./credentials.js";
import { hubCredentials, isOfHub } from "./hub-login.js";
import { KnownCredentials } from "./known-credentials.js";
import { requireOwnPage } from "./own-page.js";
import type { SessionCookie } from "./session-cookie.js";

export interface RequestLoginOptions {
  readonly access: Access;
  readonly cookie: SessionCookie;
  /** Whether the user must choose another password before anything else. */
  readonly mustChangePassword: (user: User) => boolean;
  readonly clock: Clock;
}

/** Who sends a request, by what it carries: for HTTP requests and for WebSocket upgrades alike. */
export class RequestLogin {
  readonly #options: RequestLoginOptions;
  readonly #known: KnownCredentials;

  constructor(options: RequestLoginOptions) {
    this.#options = options;
    this.#known = new KnownCredentials(options.clock);
  }

  /**
   * The credentials of a request: login and password if it carries them, otherwise its session. Throws NvrdError UNAUTHORIZED
   * without either, FORBIDDEN if it carries only a session and does not come from the own page.
   * @param change Whether the request changes something, or opens a socket.
   */
  credentials(request: RequestContent, change: boolean): Credentials {
    // Nothing else counts there: no login of this recorder passes through a hub.
    if (isOfHub(request)) return hubCredentials(request);
    const explicit = this.#known.find(request);
    if (explicit !== undefined) return explicit;
    const session = this.#options.cookie.read(request);
    if (session === undefined) throw noCredentials();
    requireOwnPage(request, change);
    return session;
  }

  /** The principal of the credentials: cached ones at once, others after the check. */
  principal(credentials: Credentials): Principal | Promise<Principal> {
    const { access } = this.#options;
    return access.recall(credentials) ?? access.verify(credentials);
  }

  /** False for a request without credentials, and for one with a session that is over alone. */
  async isSomebody(request: RequestContent): Promise<boolean> {
    if (isOfHub(request) || this.#known.find(request) !== undefined) return true;
    const session = this.#options.cookie.read(request);
    if (session === undefined) return false;
    try {
      await this.principal(session);
      return true;
    } catch (error) {
      if (error instanceof NvrdError && error.code === "UNAUTHORIZED") return false;
      throw error;
    }
  }

  /** Throws NvrdError PASSWORD_CHANGE_NEEDED for a session of a user who must choose another password first. */
  requireOwnPassword(credentials: Credentials, { user }: Principal): void {
    if (!("session" in credentials) || !this.#options.mustChangePassword(user)) return;
    throw new NvrdError("PASSWORD_CHANGE_NEEDED", `the password of ${user.name} is still the first one`);
  }
}
