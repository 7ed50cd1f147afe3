import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { type Clock, setTimeLimit } from "../../base/index.js";
import { CAMERA_TLS } from "../../rtsp/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { AcceptsKey } from "../description/device-access.js";
import { type DeviceUrl, placeOf, requestTarget, urlHost } from "./device-url.js";
import { keyedAgent } from "./keyed-agent.js";
import { networkFailure } from "./network-failure.js";

/** Default timeout of one exchange, including connecting, in milliseconds. */
export const CALL_MS_MAX = 10_000;
/** How long an idle connection is kept for the next call. */
const KEEP_ALIVE_MS = 5000;

export interface HttpExchangeOptions {
  readonly clock: Clock;
  readonly verifyCertificate: boolean;
  /** Milliseconds from the call to the last byte of its answer. */
  readonly timeoutMs: number;
  readonly acceptsKey?: AcceptsKey | undefined;
}

/** The addresses of both ends of a connection. */
export interface Contact {
  /** Our address, as the device sees it. */
  readonly local: string;
  /** The device's address. */
  readonly remote: string;
}

export interface HttpCall {
  readonly method: "GET" | "POST";
  readonly url: DeviceUrl;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Maximum size of the answer, in bytes. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** First value of a header, by lower-case name; empty if absent. */
  header(name: string): string;
  /** Values of WWW-Authenticate, one per header line. */
  readonly challenges: readonly string[];
  readonly body: Buffer;
}

/** HTTP and HTTPS requests to one device: one connection at a time, reused for the next call; bounded in time and bytes. */
export class HttpExchange {
  readonly #options: HttpExchangeOptions;
  readonly #plain = new HttpAgent({ keepAlive: true, maxSockets: 1, timeout: KEEP_ALIVE_MS });
  readonly #secure: HttpsAgent;
  #contact: Contact | undefined;

  constructor(options: HttpExchangeOptions) {
    this.#options = options;
    const kept = { keepAlive: true, maxSockets: 1, timeout: KEEP_ALIVE_MS };
    // If certificates are checked, the platform's rules apply.
    const rules = options.verifyCertificate ? {} : CAMERA_TLS;
    this.#secure = keyedAgent({ ...kept, ...rules }, options.acceptsKey);
  }

  /**
   * Sends the request once, and once more if a reused connection turned out to be closed. Rejects with CameraFailure:
   * `unreachable`, `insecure`, `interrupted`, `bad-answer` (too long).
   */
  async call(call: HttpCall): Promise<HttpAnswer> {
    try {
      return await this.#attempt(call);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return await this.#attempt(call);
    }
  }

  /** Addresses of the connection of the last answer; undefined before the first. */
  get contact(): Contact | undefined {
    return this.#contact;
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  #attempt(call: HttpCall): Promise<HttpAnswer> {
    const place = placeOf(call.url);
    return new Promise((resolve, reject) => {
      if (call.signal?.aborted === true) {
        reject(stopped(place));
        return;
      }
      const request = this.#request(call);
      const stop = (): void => end(() => reject(stopped(place)));
      const timer = setTimeLimit(
        this.#options.clock,
        () => end(() => reject(tooSlow(place, this.#options.timeoutMs))),
        this.#options.timeoutMs,
      );
      let ended = false;
      let answer: IncomingMessage | undefined;
      const end = (settle: () => void): void => {
        if (ended) return;
        ended = true;
        timer.clear();
        call.signal?.removeEventListener("abort", stop);
        settle();
        if (!request.writableFinished || answer?.complete !== true) request.destroy();
      };
      call.signal?.addEventListener("abort", stop, { once: true });
      // This listener stays, because destroying a request can emit further errors.
      request.on("error", (error) =>
        end(() =>
          reject(
            answer === undefined && isStale(request, error)
              ? new StaleConnection()
              : networkFailure(error, place),
          ),
        ),
      );
      request.on("response", (response) => {
        answer = response;
        const { localAddress: local, remoteAddress: remote } = response.socket;
        if (local !== undefined && remote !== undefined) this.#contact = { local, remote };
        gather(response, call.bytesMax, place).then(
          (body) => end(() => resolve(answerOf(response, body))),
          (error: unknown) => end(() => reject(error)),
        );
      });
      request.end(call.body);
    });
  }

  #request(call: HttpCall): ClientRequest {
    const { url } = call;
    const isSecure = url.scheme === "https";
    const address = url.host.replace(/%.*$/, "");
    const options: RequestOptions = {
      method: call.method,
      host: url.host,
      port: url.port,
      path: requestTarget(url),
      agent: isSecure ? this.#secure : this.#plain,
      headers: {
        Host: `${urlHost(address)}:${url.port}`,
        "User-Agent": "nvrd",
        ...(call.body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(call.body)) }),
        ...call.headers,
      },
      // Cameras violate the header syntax in harmless ways; their answers are bounded, and checked later.
      insecureHTTPParser: true,
    };
    if (!isSecure) return httpRequest(options);
    return httpsRequest({ ...options, servername: isIP(address) === 0 ? address : "" });
  }
}

/** The device closed a reused connection while it was idle: there was no answer, and the call may be repeated. */
class StaleConnection extends Error {}

function isStale(request: ClientRequest, error: Error): boolean {
  const code = "code" in error ? error.code : undefined;
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

function stopped(place: string): CameraFailure {
  return new CameraFailure("interrupted", `the request to ${place} was cancelled`);
}

function tooSlow(place: string, timeoutMs: number): CameraFailure {
  return new CameraFailure(
    "unreachable",
    `${place} did not answer within ${timeoutMs / 1000} s: check address, cable and power`,
  );
}

async function gather(response: IncomingMessage, bytesMax: number, place: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new CameraFailure("interrupted", `${place} closed the connection in the middle of its answer`, {
      cause: error,
    });
  }
  if (bytes > bytesMax) {
    throw new CameraFailure("bad-answer", `${place} sent an answer of more than ${bytesMax} bytes`);
  }
  return Buffer.concat(chunks);
}

function answerOf(response: IncomingMessage, body: Buffer): HttpAnswer {
  return {
    status: response.statusCode ?? 0,
    header: (name) => response.headersDistinct[name]?.[0] ?? "",
    challenges: response.headersDistinct["www-authenticate"] ?? [],
    body,
  };
}
