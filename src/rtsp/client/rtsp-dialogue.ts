import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { type Clock, errorText, type Log, NvrdError, redactUrl } from "../../base/index.js";
import type { SlabPool } from "../../live/index.js";
import { headerOf, isSuccess, type RtspResponse } from "../message/rtsp-message.js";
import {
  absoluteUrl,
  parseRtspUrl,
  type RtspCredentials,
  type RtspUrl,
  STREAM_SCHEME,
} from "../message/rtsp-url.js";
import { Authenticator } from "./authentication.js";
import type { ReadBudget } from "./read-allowance.js";
import { RtspConnection } from "./rtsp-connection.js";
import { RtspFailure, statusFailure, unauthorizedFailure } from "./rtsp-failure.js";
import { parseSessionDescription, type SessionOffer } from "./sdp/sdp.js";
import { parseMethods } from "./session-headers.js";
import type { Dialer } from "./socket/client-socket.js";
import type { PeerKey } from "./socket/peer-key.js";
import { TunnelRedirect } from "./socket/tunnel-socket.js";

/** Timeouts of a session, in milliseconds; each can be set per source. */
export interface RtspTimeouts {
  /** TCP connection. Short, because the next attempt follows soon: the camera may be booting. */
  readonly connectMs: number;
  /** TCP connection and TLS handshake, which takes seconds on small cameras. */
  readonly secureConnectMs: number;
  /** The response to OPTIONS. Some cameras ignore it: the session continues without it. */
  readonly optionsMs: number;
  /** A complete response, headers and body. */
  readonly responseMs: number;
  /** From PLAY to the first frame. */
  readonly firstFrameMs: number;
  /** Between frames. */
  readonly frameProgressMs: number;
  /** The response to TEARDOWN. */
  readonly teardownMs: number;
}

export const RTSP_TIMEOUTS_DEFAULT: RtspTimeouts = {
  connectMs: 2000,
  secureConnectMs: 8000,
  optionsMs: 2000,
  responseMs: 10_000,
  firstFrameMs: 10_000,
  frameProgressMs: 10_000,
  teardownMs: 1000,
};

/** Most redirects followed for one attempt. */
export const REDIRECTS_MAX = 3;
/** Challenges answered for one request: the first, and one for a stale nonce. */
const CHALLENGES_ANSWERED_MAX = 2;
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 305, 307, 308]);

export const USER_AGENT = "nvrd";

export interface DialogueOptions {
  readonly url: RtspUrl;
  readonly credentials: RtspCredentials | undefined;
  readonly verifyCertificate: boolean;
  /** No connection without TLS. */
  readonly secureOnly: boolean;
  readonly ipv4Only: boolean;
  /** Whether a redirect may lead to another host. */
  readonly redirectsAnywhere: boolean;
  /** The password itself is never sent. */
  readonly digestOnly: boolean;
  /** Over TLS: whether the camera's key at `port` is the one that is expected; any is when absent. */
  readonly acceptsKey?: ((port: number, key: PeerKey) => boolean) | undefined;
  /** What all cameras' packets together may take of the main thread. */
  readonly budget?: ReadBudget | undefined;
  readonly dialer: Dialer;
  readonly pool: SlabPool;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeouts: RtspTimeouts;
  /** Further headers of DESCRIBE. */
  readonly describeHeaders?: Readonly<Record<string, string>>;
  /** Called once when the connection in use ends by itself. */
  onFailure(failure: RtspFailure): void;
}

/**
 * The requests to one server, from OPTIONS and DESCRIBE on: follows redirects, answers challenges, and reconnects if a
 * server closes the connection after its challenge, or at OPTIONS.
 */
export class RtspDialogue {
  readonly #options: DialogueOptions;
  #url: RtspUrl;
  #authenticator: Authenticator;
  /** At the level of HTTP, where the connection goes through a tunnel. */
  #tunnelLogin: Authenticator;
  /** A host that the camera redirected to: it gets no login, and its key is not the camera's. */
  #isElsewhere = false;
  #connection: RtspConnection | undefined;
  #methods: ReadonlySet<string> = new Set();
  #isClosed = false;
  #sessionHeader: string | undefined;
  /** OPTIONS was sent, and is neither answered nor given up; the camera hung up then, and is not asked so again. */
  #awaitsOptions = false;
  #isOptionsRefused = false;
  /** Where the first connection led to, once it was redirected. */
  #firstAddress: string | undefined;

  constructor(options: DialogueOptions) {
    this.#options = options;
    this.#url = options.url;
    this.#authenticator = new Authenticator(options.credentials, clientNonce, options);
    this.#tunnelLogin = new Authenticator(options.credentials, clientNonce, options);
  }

  /** The connection in use. Throws RtspFailure before `describe` and after `close`. */
  get connection(): RtspConnection {
    if (this.#connection === undefined || this.#isClosed)
      throw new RtspFailure("stopped", "the source was stopped");
    return this.#connection;
  }

  /** The camera took the login as a digest. */
  get tookDigest(): boolean {
    return this.#authenticator.isDigest || this.#tunnelLogin.isDigest;
  }

  /** The camera hung up at OPTIONS. */
  get isOptionsRefused(): boolean {
    return this.#isOptionsRefused;
  }

  /** The methods in the response to OPTIONS; empty if unknown. */
  get methods(): ReadonlySet<string> {
    return this.#methods;
  }

  /** Session in the answer to DESCRIBE, where a camera names its session there. */
  get sessionHeader(): string | undefined {
    return this.#sessionHeader;
  }

  /** Connects, over a new connection each time, and fetches the session description. Rejects with RtspFailure. */
  async describe(): Promise<SessionOffer> {
    let redirects = 0;
    let mayReconnect = true;
    if (this.#connection !== undefined) this.#authenticator.reconnected();
    for (;;) {
      try {
        await this.#connect();
        const response = await this.#describeOnce();
        if (isSuccess(response.status)) return this.#offer(response);
        redirects += 1;
        if (redirects > REDIRECTS_MAX)
          throw new RtspFailure("rejected", `the camera redirects more than ${REDIRECTS_MAX} times`);
        this.#redirect(headerOf(response, "location"));
        mayReconnect = true;
      } catch (error) {
        if (error instanceof TunnelRedirect && redirects < REDIRECTS_MAX) {
          redirects += 1;
          this.#redirect(this.#tunnelAddress(error.location));
          mayReconnect = true;
          continue;
        }
        const hungUp = error instanceof RtspFailure && error.kind === "closed" && !this.#isClosed;
        if (hungUp && this.#awaitsOptions) {
          this.#awaitsOptions = false;
          this.#isOptionsRefused = true;
          continue;
        }
        if (!hungUp || !mayReconnect || !this.#authenticator.isReady) throw error;
        mayReconnect = false;
        this.#authenticator.reconnected();
      }
    }
  }

  /**
   * Sends a request, with credentials if the server wants them; resolves with any response but 401. Rejects with
   * RtspFailure, of kind "unauthorized" if the credentials are not accepted. `timeoutMs`: at most that of any response.
   */
  async send(
    method: string,
    uri: string,
    headers: Readonly<Record<string, string>> = {},
    timeoutMs = this.#options.timeouts.responseMs,
  ): Promise<RtspResponse> {
    const { responseMs } = this.#options.timeouts;
    let wasRefused = false;
    for (let answered = 0; ; answered += 1) {
      const authorization = this.#authenticator.authorization(method, uri);
      const all = authorization === undefined ? headers : { ...headers, Authorization: authorization };
      const response = await this.connection
        .request({ method, uri, headers: all, timeoutMs: Math.min(timeoutMs, responseMs) })
        .catch((error) => {
          // Some cameras refuse by closing the connection on the second try.
          throw wasRefused && error instanceof RtspFailure && error.kind === "closed"
            ? unauthorizedFailure("refused")
            : error;
        });
      if (response.status !== 401) {
        if (authorization !== undefined) this.#authenticator.accepted();
        this.#authenticator.informed(response.headers.get("authentication-info")?.[0] ?? "");
        return response;
      }
      const verdict = this.#authenticator.challenged(response, authorization !== undefined);
      wasRefused = authorization !== undefined;
      if (verdict !== "retry" || answered >= CHALLENGES_ANSWERED_MAX) throw unauthorizedFailure(verdict);
    }
  }

  /** Sends a last request without a retry and without waiting for the response, then closes. */
  abandon(method: string, uri: string, headers: Readonly<Record<string, string>>): void {
    const connection = this.#connection;
    if (connection === undefined || this.#isClosed) return;
    const authorization = this.#authenticator.authorization(method, uri);
    const all = authorization === undefined ? headers : { ...headers, Authorization: authorization };
    connection
      .request({ method, uri, headers: all, timeoutMs: this.#options.timeouts.teardownMs })
      .catch((error) => {
        // Closing rejects it, as intended: the server may read the request, and nobody waits for the response.
        this.#options.log.trace({ error: errorText(error) }, "last request abandoned");
      });
    this.close(true);
  }

  /** Logs what the connection received and had to drop. */
  logCounters(): void {
    const { receivedBytes, counters } = this.#connection ?? {};
    if (receivedBytes !== undefined)
      this.#options.log.debug({ receivedBytes, ...counters }, "connection ends");
  }

  /** Ends the connection; with `flush` what was written is still sent. Twice is harmless. */
  close(flush = false): void {
    this.#isClosed = true;
    this.#connection?.close(flush);
  }

  async #connect(): Promise<void> {
    this.#connection?.close();
    if (this.#isClosed) throw new RtspFailure("stopped", "the source was stopped");
    const { host, port, secure, tunnel } = this.#url;
    const { dialer, pool, clock, timeouts, verifyCertificate, secureOnly, ipv4Only } = this.#options;
    const { acceptsKey } = this.#isElsewhere ? {} : this.#options;
    if (secureOnly && !secure) {
      const words =
        "the camera's address is not secure, and only secure connections are allowed: use rtsps://";
      throw new RtspFailure("tls", words);
    }
    if (ipv4Only && isIPv6(host)) {
      const words = `${host} is an IPv6 address, and IPv6 is switched off for this camera: switch it on`;
      throw new RtspFailure("unreachable", words);
    }
    const connection: RtspConnection = new RtspConnection({
      endpoint: {
        host,
        port,
        secure,
        verifyCertificate,
        ipv4Only,
        acceptsKey: acceptsKey === undefined ? undefined : (key) => acceptsKey(port, key),
        tunnel: tunnel ? { target: this.#tunnelTarget, login: this.#tunnelLogin } : undefined,
      },
      dialer,
      pool,
      clock,
      userAgent: USER_AGENT,
      budget: this.#options.budget,
      onFailure: (failure) => {
        if (this.#connection === connection) this.#options.onFailure(failure);
      },
    });
    this.#connection = connection;
    await connection.connect(secure || tunnel ? timeouts.secureConnectMs : timeouts.connectMs);
  }

  /** What a tunnel's requests name: path and query of the address. */
  get #tunnelTarget(): string {
    const { requestUrl, origin } = this.#url;
    const target = requestUrl.slice(origin.length);
    return target.startsWith("/") ? target : `/${target}`;
  }

  /** Where HTTP redirects a tunnel to, as the address of a tunnel. */
  #tunnelAddress(location: string): string {
    if (/^https?:\/\//i.test(location)) return `rtsp+${location}`;
    const scheme = this.#url.secure ? "rtsp+https" : "rtsp+http";
    const path = location.startsWith("/") ? location : `/${location}`;
    return this.#url.origin.replace(/^rtsp/, scheme) + path;
  }

  /** Sends OPTIONS for the server's methods, then DESCRIBE, even if OPTIONS is refused or ignored, or the server hung up at it. */
  async #describeOnce(): Promise<RtspResponse> {
    const uri = this.#url.requestUrl;
    const options = this.#isOptionsRefused ? undefined : await this.#requestOptions(uri);
    if (options?.status === 401) this.#authenticator.challenged(options, false);
    this.#methods = parseMethods(options?.headers.get("public") ?? []);
    const headers = { Accept: "application/sdp", ...this.#options.describeHeaders };
    const response = await this.send("DESCRIBE", uri, headers);
    if (isSuccess(response.status) || REDIRECT_STATUSES.has(response.status)) return response;
    throw statusFailure(response.status, response.reason, "DESCRIBE");
  }

  /** Undefined if no response came in time. */
  async #requestOptions(uri: string): Promise<RtspResponse | undefined> {
    const timeoutMs = this.#options.timeouts.optionsMs;
    this.#awaitsOptions = true;
    try {
      const response = await this.connection.request({ method: "OPTIONS", uri, timeoutMs });
      this.#awaitsOptions = false;
      return response;
    } catch (error) {
      // What is no answer to it may be one to DESCRIBE; a connection that has failed fails that too.
      const isUnanswered = error instanceof RtspFailure && ["no-answer", "protocol"].includes(error.kind);
      if (!isUnanswered) throw error;
      this.#awaitsOptions = false;
      this.#options.log.debug({ timeoutMs }, "OPTIONS not answered: continuing without it");
      return undefined;
    }
  }

  #offer(response: RtspResponse): SessionOffer {
    this.#sessionHeader = headerOf(response, "session");
    try {
      return parseSessionDescription(response.body, {
        requestUrl: this.#url.requestUrl,
        contentBase: headerOf(response, "content-base"),
        contentLocation: headerOf(response, "content-location"),
      });
    } catch (error) {
      const text = error instanceof NvrdError ? error.message : "the session description cannot be read";
      throw new RtspFailure("protocol", `the camera's answer is invalid: ${text}`, { cause: error });
    }
  }

  /**
   * Follows a redirect: on the camera's host, unless others are allowed, because a camera that was taken over could
   * otherwise have the recorder talk to any host that it reaches. Credentials are kept only for the camera's host, and never
   * from TLS to plain text.
   */
  #redirect(location: string | undefined): void {
    let target: RtspUrl;
    try {
      const given = location ?? "";
      target = parseRtspUrl(STREAM_SCHEME.test(given) ? given : absoluteUrl(location, this.#url.requestUrl));
    } catch (error) {
      throw new RtspFailure("protocol", `the camera redirects to an invalid address: ${errorText(error)}`, {
        cause: error,
      });
    }
    const isSameHost = this.#isSameHost(target.host);
    if (!isSameHost && !this.#options.redirectsAnywhere) {
      const words = `the camera redirects to another host, ${target.host}: give that address, or allow it (RedirectToOtherHostsEnabled)`;
      throw new RtspFailure("rejected", words);
    }
    const keepsCredentials = isSameHost && (target.secure || !this.#options.url.secure);
    const credentials = keepsCredentials ? this.#options.credentials : undefined;
    this.#authenticator = new Authenticator(credentials, clientNonce, this.#options);
    this.#tunnelLogin = new Authenticator(credentials, clientNonce, this.#options);
    this.#isElsewhere = !isSameHost;
    this.#options.log.info({ to: redactUrl(target.requestUrl), keepsCredentials }, "camera redirects");
    // A camera does not know over which interface it is reached.
    const own = this.#options.url.host;
    const { tunnel, secure, port } = this.#url;
    // What the camera says within a tunnel of another path there is meant for the tunnel too.
    const stays = tunnel && isSameHost && !target.tunnel && target.port === port;
    const kept = stays ? { ...target, tunnel, secure } : target;
    this.#url = isSameHost && own.includes("%") ? { ...kept, host: own } : kept;
  }

  /** The camera's: by its name, or by the address that this led to. A host that it redirected to is not its own. */
  #isSameHost(host: string): boolean {
    this.#firstAddress ??= this.connection.remoteAddress;
    const known = [this.#options.url.host, this.#firstAddress];
    return known.some((name) => name !== "" && sameHostKey(name) === sameHostKey(host));
  }
}

/** One key for the spellings of a host: case, IPv6, IPv4 mapped into it. */
function sameHostKey(host: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(host)?.[1];
  const name = mapped ?? host.toLowerCase();
  return isIPv6(name) ? new URL(`http://[${name.split("%")[0]}]`).hostname : name;
}

function clientNonce(): string {
  return randomBytes(16).toString("hex");
}
