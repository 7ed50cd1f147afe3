import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { MS_PER_SECOND } from "../base/index.js";
import { failureText } from "./failure-text.js";
import type { WebhookReach } from "./webhook-reach.js";

const ANSWER_MS_MAX = 10 * MS_PER_SECOND;
const LIMITS = { agent: false, maxHeaderSize: 16 * 1024 } as const;
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

export interface Post {
  /** Default: POST. */
  readonly method?: "PUT";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly reach: WebhookReach;
  /** Certificates (PEM) of the only authorities that are trusted; default: the usual ones. */
  readonly authority?: string;
  /** The `http` address of a proxy. */
  readonly proxy?: URL;
}

/** POSTs a body. Resolves with the status; the body of the answer is not read, and redirects are not followed. */
export async function post(url: URL, options: Post): Promise<number> {
  const { status } = await postForAnswer(url, { ...options, answerBytesMax: 0 });
  return status;
}

export interface PostAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined;
}

/** How long a server is to be left alone, in milliseconds: seconds or a date (RFC 9110, 10.2.3); 0 where it says neither. */
export function retryAfterMs(text: string | undefined, nowMs: number): number {
  if (text === undefined) return 0;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * MS_PER_SECOND : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** As `post`, with the body of the answer. Rejects where that is longer than `answerBytesMax`; 0: it is not read. */
export async function postForAnswer(
  url: URL,
  options: Post & { readonly answerBytesMax: number },
): Promise<PostAnswer> {
  const { body, reach, proxy, answerBytesMax } = options;
  try {
    for (const place of [url, ...(proxy === undefined ? [] : [proxy])]) {
      const refusal = reach.refusal(place);
      if (refusal !== undefined) throw refusal;
    }
    return await answerOf(await requestTo(url, options), body, answerBytesMax);
  } catch (error) {
    // The path may be the secret of a chat webhook, so only the host is reported.
    throw new Error(`${url.host}: ${failureText(error)}`);
  }
}

function answerOf(call: ClientRequest, body: Buffer, bytesMax: number): Promise<PostAnswer> {
  return new Promise<PostAnswer>((resolve, reject) => {
    call.setTimeout(ANSWER_MS_MAX, () => call.destroy(new Error("no answer within 10 s")));
    call.once("error", reject);
    call.once("response", (response) => {
      const status = response.statusCode ?? 0;
      const retryAfter = response.headers["retry-after"];
      if (bytesMax === 0) {
        resolve({ status, body: Buffer.alloc(0), retryAfter });
        response.destroy();
      } else
        readBody(response, bytesMax).then((answer) => resolve({ status, body: answer, retryAfter }), reject);
    });
    call.end(body);
  });
}

function readBody(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    response.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= bytesMax) pieces.push(piece);
      else response.destroy(new Error(`its answer is longer than ${bytesMax} bytes`));
    });
    response.once("end", () => resolve(Buffer.concat(pieces)));
    response.once("error", reject);
    response.once("close", () => reject(new Error("its answer is not complete")));
  });
}

async function requestTo(
  url: URL,
  { method, headers, signal, reach, proxy, authority }: Post,
): Promise<ClientRequest> {
  const common = { ...LIMITS, method: method ?? "POST", headers, signal };
  const isTls = url.protocol === "https:";
  const trust = authority === undefined ? {} : { ca: authority };
  if (proxy === undefined)
    return isTls
      ? requestHttps(url, { ...common, ...trust, lookup: reach.lookup })
      : requestHttp(url, { ...common, lookup: reach.lookup });
  const way = { ...placeOf(proxy), lookup: reach.lookup };
  // The proxy of plain HTTP takes the whole URL (RFC 9112, section 3.2.2).
  if (!isTls)
    return requestHttp({ ...common, ...way, path: url.href, headers: { ...headers, Host: url.host } });
  const socket = await tunnel(url, proxy, { signal, way });
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return requestHttps(url, {
    ...common,
    createConnection: () => connectTls({ ...trust, socket, host, servername: host }),
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
