import { type ClientRequest, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { errorText, MS_PER_SECOND } from "../base/index.js";
import type { WebhookReach } from "./webhook-reach.js";

const ANSWER_MS_MAX = 10 * MS_PER_SECOND;
const LIMITS = { agent: false, maxHeaderSize: 16 * 1024 } as const;
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly reach: WebhookReach;
  /** The `http` address of a proxy. */
  readonly proxy?: URL;
}

/** POSTs a body. Resolves with the status; the body of the answer is not read, and redirects are not followed. */
export async function post(url: URL, options: Post): Promise<number> {
  const { body, reach, proxy } = options;
  try {
    for (const place of [url, ...(proxy === undefined ? [] : [proxy])]) {
      const refusal = reach.refusal(place);
      if (refusal !== undefined) throw refusal;
    }
    return await statusOf(await requestTo(url, options), body);
  } catch (error) {
    // The path may be the secret of a chat webhook, so only the host is reported.
    throw new Error(`${url.host}: ${errorText(error)}`);
  }
}

function statusOf(call: ClientRequest, body: Buffer): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    call.setTimeout(ANSWER_MS_MAX, () => call.destroy(new Error("no answer within 10 s")));
    call.once("error", reject);
    call.once("response", (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    call.end(body);
  });
}

async function requestTo(url: URL, { headers, signal, reach, proxy }: Post): Promise<ClientRequest> {
  const common = { ...LIMITS, method: "POST", headers, signal };
  const isTls = url.protocol === "https:";
  if (proxy === undefined)
    return (isTls ? requestHttps : requestHttp)(url, { ...common, lookup: reach.lookup });
  const way = { ...placeOf(proxy), lookup: reach.lookup };
  // The proxy of plain HTTP takes the whole URL (RFC 9112, section 3.2.2).
  if (!isTls)
    return requestHttp({ ...common, ...way, path: url.href, headers: { ...headers, Host: url.host } });
  const socket = await tunnel(url, proxy, { signal, way });
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return requestHttps(url, {
    ...common,
    createConnection: () => connectTls({ socket, host, servername: host }),
  });
}

/** A connection over the proxy by CONNECT (RFC 9110, section 9.3.6); TLS begins behind it, so the proxy sees no content. */
function tunnel(
  url: URL,
  proxy: URL,
  { signal, way }: { readonly signal: AbortSignal; readonly way: object },
): Promise<Socket> {
  const name = `${url.hostname}:${url.port === "" ? HTTPS_PORT : url.port}`;
  const call = requestHttp({
    ...LIMITS,
    ...way,
    method: "CONNECT",
    path: name,
    headers: { Host: name },
    signal,
  });
  return new Promise<Socket>((resolve, reject) => {
    const refused = (status: number | undefined) =>
      reject(new Error(`the proxy ${proxy.host} does not connect to it: it answered ${status ?? 0}`));
    call.setTimeout(ANSWER_MS_MAX, () => call.destroy(new Error(`the proxy ${proxy.host} does not answer`)));
    call.once("error", reject);
    call.once("response", (response) => {
      refused(response.statusCode);
      response.destroy();
    });
    call.once("connect", (response, socket) => {
      if (response.statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        refused(response.statusCode);
      }
    });
    call.end();
  });
}

function placeOf(proxy: URL): { readonly host: string; readonly port: number } {
  const host = proxy.hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port: proxy.port === "" ? HTTP_PORT : Number(proxy.port) };
}
