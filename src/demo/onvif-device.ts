import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Clock, errorText, type Log } from "../base/index.js";
import { SOAP_TYPE, SoapFault, soapEnvelope } from "../onvif/index.js";
import { ServerAuthenticator, type ServerCredentials } from "../rtsp/server/index.js";
import {
  type OnvifFacts,
  onvifAnswer,
  SERVICE_PATHS,
  type ServiceName,
  SNAPSHOT_PATH,
} from "./onvif-answers.js";

/** Largest request that is read, in bytes. */
export const REQUEST_BYTES_MAX = 64 * 1024;
const CONNECTIONS_MAX = 32;
/** Time limit for a complete request. */
const REQUEST_MS_MAX = 10_000;
/** Operations without login (ONVIF Core, access class PRE_AUTH). */
const PRE_AUTH = new Set([
  "GetSystemDateAndTime",
  "GetServices",
  "GetCapabilities",
  "GetServiceCapabilities",
  "GetEndpointReference",
]);
const OPERATION = /<(?:[\w.-]{1,32}:)?Body\b[^>]{0,1024}>\s{0,256}<(?:[\w.-]{1,32}:)?(\w{1,64})/;

interface OnvifDeviceOptions {
  /** Address to listen on, also used in its URLs. */
  readonly listen: string;
  /** 0 lets the kernel choose. */
  readonly port: number;
  readonly facts: OnvifFacts;
  /** A current JPEG. */
  readonly snapshot: () => Uint8Array;
  /** For HTTP Digest or Basic; default: no login needed. */
  readonly credentials?: ServerCredentials;
  readonly clock: Clock;
  readonly log: Log;
}

/** A simulated camera's ONVIF side: Device, Media and Media2 over HTTP, and snapshots. */
export class OnvifDevice {
  readonly #options: OnvifDeviceOptions;
  /** Nonces are per connection. */
  readonly #authenticators = new WeakMap<Socket, ServerAuthenticator>();
  #server: Server | undefined;
  #origin = "";

  constructor(options: OnvifDeviceOptions) {
    this.#options = options;
  }

  /** `http://host:port` once it has started. */
  get origin(): string {
    return this.#origin;
  }

  /** Listens; rejects with the system's error if address or port are not available. */
  async start(): Promise<void> {
    const { listen, port, log } = this.#options;
    const server = createServer({ requestTimeout: REQUEST_MS_MAX }, (request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        log.debug({ error: errorText(error) }, "a request to a demo camera failed");
        response.destroy();
      });
    });
    server.maxConnections = CONNECTIONS_MAX;
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: listen, port }, () => {
        server.off("error", reject);
        resolve();
      });
    });
    server.on("error", (error) => log.error({ error: errorText(error) }, "a demo camera's HTTP server"));
    const host = listen.includes(":") ? `[${listen}]` : listen;
    this.#origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  }

  /** Closes the port and all connections. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    if (request.method === "GET" && path === SNAPSHOT_PATH) {
      if (this.#isRefused(request, response)) return;
      send(response, { status: 200, type: "image/jpeg", body: this.#options.snapshot() });
      return;
    }
    const service = SERVICE_BY_PATH.get(path);
    if (request.method !== "POST" || service === undefined) {
      send(response, { status: 404, type: "text/plain", body: Buffer.from("no such page") });
      return;
    }
    const body = await bodyOf(request);
    if (body === undefined) {
      response.setHeader("Connection", "close");
      send(response, { status: 413, type: "text/plain", body: Buffer.from("the request is too large") });
      return;
    }
    this.#answer(service, body, request, response);
  }

  #answer(service: ServiceName, body: string, request: IncomingMessage, response: ServerResponse): void {
    const operation = OPERATION.exec(body)?.[1] ?? "";
    if (!PRE_AUTH.has(operation) && this.#isRefused(request, response)) return;
    const { facts, clock } = this.#options;
    const place = { origin: this.#origin, nowMs: clock.nowUs() / 1000 };
    const content = onvifAnswer(service, operation, { facts, place, request: body });
    const fault = new SoapFault(
      "Sender",
      ["ActionNotSupported"],
      "this device has no such operation, or no such profile",
    ).xml;
    send(response, {
      status: content === undefined ? 400 : 200,
      type: SOAP_TYPE,
      body: Buffer.from(soapEnvelope(content ?? fault)),
    });
  }

  /** Sends a refusal and returns true if the request has no valid login. */
  #isRefused(request: IncomingMessage, response: ServerResponse): boolean {
    const { credentials, clock } = this.#options;
    if (credentials === undefined) return false;
    const { socket } = request;
    const authenticator = this.#authenticators.get(socket) ?? new ServerAuthenticator({ credentials, clock });
    this.#authenticators.set(socket, authenticator);
    const result = authenticator.check(request.method ?? "", request.headers.authorization);
    if (result.granted) return false;
    response.setHeader("WWW-Authenticate", [...result.challenges]);
    const fault = new SoapFault("Sender", ["NotAuthorized"], "Sender not Authorized").xml;
    const body = Buffer.from(soapEnvelope(fault));
    send(response, { status: 401, type: SOAP_TYPE, body });
    return true;
  }
}

const SERVICE_BY_PATH = new Map<string, ServiceName>([
  [SERVICE_PATHS.device, "device"],
  [SERVICE_PATHS.media, "media"],
  [SERVICE_PATHS.media2, "media2"],
]);

function send(
  response: ServerResponse,
  { status, type, body }: { readonly status: number; readonly type: string; readonly body: Uint8Array },
): void {
  response.writeHead(status, { "Content-Type": type, "Content-Length": body.length });
  response.end(body);
}

/** The request's body; undefined when it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > REQUEST_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
