import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, request as requestHttps } from "node:https";
import { type Clock, MS_PER_SECOND, readVersion, setTimeLimit } from "../base/index.js";
import { AcmeFailure } from "./acme-problem.js";

/** One request, from the connection to the end of the answer. */
export const REQUEST_MS_MAX = 30 * MS_PER_SECOND;
/** No object of ACME is so large, and no chain of certificates. */
export const ANSWER_BYTES_MAX = 128 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;

export interface AcmeAnswer {
  readonly status: number;
  /** Lower case, without parameters. */
  readonly type: string;
  readonly body: Buffer;
  header(name: string): string | undefined;
}

export interface AcmeTransportOptions {
  readonly directoryUrl: string;
  /** Certificates (PEM) of the only authorities that are trusted; undefined: the usual ones. */
  readonly trust: string | undefined;
  readonly clock: Clock;
}

export interface AcmeRequest {
  readonly method: "GET" | "HEAD" | "POST";
  /** Of a POST. */
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * HTTPS to the host of one authority and to no other, whatever address its server names: no redirects, an answer of bounded size
 * within a bounded time.
 */
export class AcmeTransport {
  readonly #options: AcmeTransportOptions;
  readonly #origin: string;
  readonly #agent: Agent;

  constructor(options: AcmeTransportOptions) {
    this.#options = options;
    this.#origin = new URL(options.directoryUrl).origin;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }

  /** Rejects with AcmeFailure, or with the error of the connection. */
  async request(address: string, { method, body, signal }: AcmeRequest): Promise<AcmeAnswer> {
    const url = this.own(address);
    const { trust } = this.#options;
    const headers = {
      "User-Agent": `nvrd/${readVersion()}`,
      "Accept-Language": "en",
      ...(body === undefined ? {} : { "Content-Type": "application/jose+json" }),
    };
    const call = requestHttps(url, {
      ...{ agent: this.#agent, method, headers, signal, maxHeaderSize: HEADER_BYTES_MAX },
      ...(trust === undefined ? {} : { ca: trust }),
    });
    const timer = setTimeLimit(
      this.#options.clock,
      () => {
        const seconds = REQUEST_MS_MAX / MS_PER_SECOND;
        call.destroy(new AcmeFailure("ServerTooSlow", `${url.host} did not answer within ${seconds} s`));
      },
      REQUEST_MS_MAX,
    );
    try {
      return await answerOf(call, body);
    } finally {
      timer.clear();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Throws AcmeFailure for an address that is not of this authority. */
  own(address: string): URL {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url?.protocol === "https:" && url.origin === this.#origin && url.username === "") return url;
    throw new AcmeFailure(
      "ServerFaulty",
      `it names an address that is not its own: only ${this.#origin} is asked`,
    );
  }
}

function answerOf(call: ClientRequest, body: string | undefined): Promise<AcmeAnswer> {
  return new Promise((resolve, reject) => {
    call.once("error", reject);
    call.once("response", (response) => {
      bodyOf(response, call).then((bytes) => resolve(answer(response, bytes)), reject);
    });
    call.end(body);
  });
}

function bodyOf(response: IncomingMessage, call: ClientRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    response.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= ANSWER_BYTES_MAX) pieces.push(piece);
      else
        call.destroy(new AcmeFailure("ServerFaulty", `its answer is longer than ${ANSWER_BYTES_MAX} bytes`));
    });
    response.once("end", () => resolve(Buffer.concat(pieces)));
    response.once("error", reject);
    response.once("close", () => reject(new AcmeFailure("ServerUnreachable", "its answer is not complete")));
  });
}

function answer(response: IncomingMessage, body: Buffer): AcmeAnswer {
  const { statusCode = 0, headers } = response;
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return {
    status: statusCode,
    type: type.trim().toLowerCase(),
    body,
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
  };
}
