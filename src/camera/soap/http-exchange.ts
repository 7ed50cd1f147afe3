import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { connect, isIP, type Socket } from "node:net";
import { type Clock, setTimeLimit } from "../../base/index.js";
import { CAMERA_TLS } from "../../rtsp/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { AcceptsKey } from "../description/device-access.js";
import { type DeviceUrl, placeOf, requestTarget, urlHost } from "./device-url.js";
import { type HttpAnswer, messagePart, readBody } from "./http-body.js";
import { keyedAgent, keyedSocket } from "./keyed-agent.js";
import { errorCode, networkFailure } from "./network-failure.js";
import { exchangePlainly } from "./plain-exchange.js";

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
  /** The answer is a SOAP message, in which HTTP is believed no more than needed. */
  readonly isMessage?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** HTTP and HTTPS requests to one device: one connection at a time, reused for the next call; bounded in time and bytes. */
export class HttpExchange {
  readonly #options: HttpExchangeOptions;
  readonly #plain = new HttpAgent({ keepAlive: true, maxSockets: 1, timeout: KEEP_ALIVE_MS });
  readonly #secure: HttpsAgent;
  /** An answer could not be read: the device's HTTP is not to be trusted. */
  #isPatient = false;
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
   * `unreachable`, `insecure`, `interrupted`, `bad-answer` (too long); with OddAnswer where the same is to be asked once more.
   */
  async call(call: HttpCall): Promise<HttpAnswer> {
    const isMessage = call.isMessage === true;
    if (isMessage && this.#isPatient) return await this.#patiently(call);
    try {
      const answer = await this.#attempt(call);
      if (isMessage && isCutShort(answer)) throw this.#odd();
      return answer;
    } catch (error) {
      if (error instanceof StaleConnection) return await this.#attempt(call);
      const isNoHttp = error instanceof CameraFailure && errorCode(error.cause).startsWith("HPE_");
      throw isMessage && isNoHttp ? this.#odd() : error;
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

  #odd(): OddAnswer {
    this.#isPatient = true;
    return new OddAnswer();
  }

  #attempt(call: HttpCall): Promise<HttpAnswer> {
    return this.#bounded(call, () => {
      const request = this.#request(call);
      let answer: IncomingMessage | undefined;
      const result = new Promise<HttpAnswer>((resolve, reject) => {
        const place = placeOf(call.url);
        // This listener stays, because destroying a request can emit further errors.
        request.on("error", (error) => {
          const isOld = answer === undefined && isStale(request, error);
          reject(isOld ? new StaleConnection() : networkFailure(error, place));
        });
        request.on("response", (response) => {
          answer = response;
          this.#met(response.socket);
          const { bytesMax, isMessage = false } = call;
          const reading = { bytesMax, place, clock: this.#options.clock, isMessage };
          readBody(response, reading).then((body) => resolve(answerOf(response, body)), reject);
        });
        // As bytes: behind a text Node writes the head in its encoding, and a realm is not in UTF-8 because the body is.
        request.end(call.body === undefined ? undefined : Buffer.from(call.body));
      });
      const stop = (): void => {
        if (!request.writableFinished || answer?.complete !== true) request.destroy();
      };
      return { result, stop };
    });
  }

  /** The same on a connection of its own, as `exchangePlainly` reads it. */
  #patiently(call: HttpCall): Promise<HttpAnswer> {
    const { url, bytesMax } = call;
    const place = placeOf(url);
    return this.#bounded(call, () => {
      const socket = url.scheme === "https" ? this.#connectSecure(url) : connect(url.port, url.host);
      socket.on("error", () => undefined);
      const headers = { ...this.#headers(call), Connection: "close" };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${oneLine(value)}\r\n`);
      const head = Buffer.from(
        `${call.method} ${requestTarget(url)} HTTP/1.1\r\n${lines.join("")}\r\n`,
        "latin1",
      );
      const request = Buffer.concat([head, Buffer.from(call.body ?? "")]);
      const sent = exchangePlainly({ socket, request, bytesMax, place, clock: this.#options.clock });
      const result = sent.then((answer) => {
        this.#met(socket);
        return answer;
      });
      return { result, stop: () => socket.destroy() };
    });
  }

  #connectSecure(url: DeviceUrl): Socket {
    const { verifyCertificate, acceptsKey } = this.#options;
    const rules = verifyCertificate ? {} : CAMERA_TLS;
    return keyedSocket({ ...rules, host: url.host, port: url.port, servername: serverName(url) }, acceptsKey);
  }

  #met({ localAddress: local, remoteAddress: remote }: Socket): void {
    if (local !== undefined && remote !== undefined) this.#contact = { local, remote };
  }

  /** What `begin` begins, until its result, the time limit or the caller's end; then it is stopped. */
  async #bounded(
    call: HttpCall,
    begin: () => { readonly result: Promise<HttpAnswer>; readonly stop: () => void },
  ): Promise<HttpAnswer> {
    const place = placeOf(call.url);
    const { clock, timeoutMs } = this.#options;
    const { signal } = call;
    if (signal?.aborted === true) throw stopped(place);
    const { result, stop } = begin();
    let end: (failure: CameraFailure) => void = () => undefined;
    const ended = new Promise<never>((_, reject) => {
      end = reject;
    });
    const onAbort = (): void => end(stopped(place));
    const timer = setTimeLimit(clock, () => end(tooSlow(place, timeoutMs)), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([result, ended]);
    } finally {
      timer.clear();
      signal?.removeEventListener("abort", onAbort);
      stop();
    }
  }

  #headers(call: HttpCall): Readonly<Record<string, string>> {
    const { url, body } = call;
    return {
      Host: `${urlHost(plainAddress(url))}:${url.port}`,
      "User-Agent": "nvrd",
      ...(body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) }),
      ...call.headers,
    };
  }

  #request(call: HttpCall): ClientRequest {
    const { url } = call;
    const isSecure = url.scheme === "https";
    const options: RequestOptions = {
      method: call.method,
      host: url.host,
      port: url.port,
      path: requestTarget(url),
      agent: isSecure ? this.#secure : this.#plain,
      headers: this.#headers(call),
      // Cameras violate the header syntax in harmless ways; their answers are bounded, and checked later.
      insecureHTTPParser: true,
    };
    if (!isSecure) return httpRequest(options);
    return httpsRequest({ ...options, servername: serverName(url) });
  }
}

/** The answer is none that can be read: the same is to be asked once more, and will be read with patience. */
export class OddAnswer extends Error {}

/** Whether a good answer ends before its message does. */
function isCutShort({ status, body }: HttpAnswer): boolean {
  return status === 200 && (body.length === 0 || messagePart(body) === "begun");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/g;

/** A header's value holds what the device named, such as its realm. */
function oneLine(value: string): string {
  return value.replace(CONTROL_CHARACTERS, " ");
}

/** Without the interface, which means something here alone. */
function plainAddress({ host }: DeviceUrl): string {
  return host.replace(/%.*$/, "");
}

function serverName(url: DeviceUrl): string {
  const address = plainAddress(url);
  return isIP(address) === 0 ? address : "";
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

function answerOf(response: IncomingMessage, body: Buffer): HttpAnswer {
  return {
    status: response.statusCode ?? 0,
    header: (name) => response.headersDistinct[name]?.[0] ?? "",
    challenges: response.headersDistinct["www-authenticate"] ?? [],
    body,
  };
}
