import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { MS_PER_SECOND } from "../../base/index.js";
import { recorderAgent } from "./recorder-agent.js";
import { PROXY_LOGIN_WORDS, S3Error } from "./s3-error.js";
import type { S3Target } from "./s3-target.js";

/** Connections at once, and kept for the next request, unless somebody says more. */
const SOCKETS_MAX = 4;
export const CONNECT_MS_MAX = 15 * MS_PER_SECOND;
const HTTP_PORT = 80;

/** Where a request is sent: its agent, and for plain HTTP over a proxy the proxy instead of the server. */
export interface Way {
  readonly agent: HttpAgent | HttpsAgent;
  /** The proxy that takes whole URLs; undefined: the server itself, or a tunnel to it. */
  readonly proxy: ProxyPlace | undefined;
  /** Login of that proxy. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ProxyPlace {
  /** As sockets take it: an IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
}

/** Makes the connections to a target: directly, or over its proxy; with its own authority where it has one. */
export function wayTo({ endpoint, authority, proxy, recorder }: S3Target, socketsMax = SOCKETS_MAX): Way {
  const isTls = new URL(endpoint).protocol === "https:";
  const options = { keepAlive: true, maxSockets: socketsMax, timeout: CONNECT_MS_MAX };
  if (recorder !== undefined)
    return { agent: recorderAgent(recorder, options), proxy: undefined, headers: {} };
  const trust = authority === "" ? {} : { ca: authority };
  const through = proxy === "" ? undefined : new URL(proxy);
  if (!isTls) {
    const headers = through === undefined ? {} : loginOf(through);
    const place = through === undefined ? undefined : placeOf(through);
    return { agent: new HttpAgent(options), proxy: place, headers };
  }
  const agent = new HttpsAgent({ ...options, ...trust });
  if (through !== undefined) tunnel(agent, through);
  return { agent, proxy: undefined, headers: {} };
}

/** Has an agent connect over a proxy by CONNECT (RFC 9110, section 9.3.6); TLS begins behind it, so the proxy sees no content. */
function tunnel(agent: HttpsAgent, proxy: URL): void {
  agent.createConnection = (options, done) => {
    const { host = "", port = 443 } = options;
    const name = `${host ?? ""}:${String(port)}`;
    const call = requestHttp({
      ...placeOf(proxy),
      method: "CONNECT",
      path: name,
      headers: { Host: name, ...loginOf(proxy) },
      agent: false,
      timeout: CONNECT_MS_MAX,
    });
    const failed = (text: string, cause?: unknown): void =>
      done?.(new S3Error("proxy", `the proxy ${proxy.host} ${text}`, { cause }), undefined as never);
    call.once("timeout", () => call.destroy(new Error("does not answer")));
    call.once("error", (error) => failed(`cannot be used: ${error.message}`, error));
    call.once("response", (response) => {
      response.destroy();
      failed(`answered ${response.statusCode ?? 0}`);
    });
    call.once("connect", (response, socket: Socket) => {
      if (response.statusCode !== 200) {
        const { statusCode = 0 } = response;
        socket.destroy();
        failed(
          statusCode === 407 ? PROXY_LOGIN_WORDS : `does not connect to ${name}: it answered ${statusCode}`,
        );
        return;
      }
      const { ca, servername } = options as { ca?: string; servername?: string };
      const secure = connectTls({
        socket,
        // The name that the certificate has to be for; no connection is made to it.
        host: host ?? "",
        ...(servername === undefined || servername === "" ? {} : { servername }),
        ...(ca === undefined ? {} : { ca }),
      });
      done?.(null, secure);
    });
    call.end();
    return undefined;
  };
}

function placeOf({ hostname, port }: URL): ProxyPlace {
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? HTTP_PORT : Number(port),
  };
}

function loginOf({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "Proxy-Authorization": `Basic ${Buffer.from(login).toString("base64")}` };
}
