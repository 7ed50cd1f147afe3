import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { type Clock, MS_PER_SECOND, US_PER_MS } from "../../base/index.js";
import { ExchangeWatch } from "./exchange-watch.js";
import { EMPTY_BODY, type ObjectBody } from "./object-body.js";
import { type Way, wayTo } from "./s3-connections.js";
import { errorOfAnswer, errorOfConnection, S3Error } from "./s3-error.js";
import { S3Signature } from "./s3-signature.js";
import { objectUrl, type S3Target } from "./s3-target.js";

const ANSWER_BYTES_MAX_DEFAULT = 1024 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
/** A connection on which nothing moved for so long is given up. */
const SILENCE_MS_MAX = 30 * MS_PER_SECOND;
/** From this size on the server is asked before the body goes: what it refuses costs no volume. */
const ASKED_FROM_BYTES = 256 * 1024;
/** A server that does not know the question says nothing. */
const ASKED_MS_MAX = 3 * MS_PER_SECOND;
const STATUS_OK_MAX = 299;
/** What is sent at a pace goes in pieces of this, so that a slow one moves every few seconds: servers end what is still. */
const PACED_BYTES = 16 * 1024;

export interface Exchange {
  readonly method: "GET" | "PUT" | "POST" | "DELETE" | "HEAD";
  /** Whole key, with the prefix; empty: the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: ObjectBody;
  /** More bytes of an answer are an error. */
  readonly answerBytesMax?: number;
  /** Takes the bytes of a successful answer instead of its body. */
  readonly sink?: (piece: Uint8Array) => boolean | undefined;
  /** Waited for when `sink` answers false: it takes no more at the moment. */
  readonly drained?: () => Promise<void>;
  readonly signal?: AbortSignal;
  /** Waits until so many bytes may be sent. */
  readonly pace?: (bytes: number) => Promise<void>;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** Server's clock less ours; undefined if it does not say. */
  readonly aheadMs: number | undefined;
}

export interface S3ExchangesOptions {
  readonly target: S3Target;
  readonly clock: Clock;
  readonly silenceMsMax?: number;
  /** Connections at once; default 4. */
  readonly socketsMax?: number;
}

/** Signed requests to one target, each bounded in time, size and memory. Rejects with S3Error, in plain words. */
export class S3Exchanges {
  readonly #target: S3Target;
  readonly #clock: Clock;
  readonly #silenceMsMax: number;
  readonly #signature: S3Signature;
  readonly #way: Way;

  constructor({ target, clock, silenceMsMax = SILENCE_MS_MAX, socketsMax }: S3ExchangesOptions) {
    this.#target = target;
    this.#clock = clock;
    this.#silenceMsMax = silenceMsMax;
    this.#signature = new S3Signature(target, clock);
    this.#way = wayTo(target, socketsMax);
  }

  async run(exchange: Exchange): Promise<S3Answer> {
    const { method, key, query, body = EMPTY_BODY } = exchange;
    const url = objectUrl(this.#target, key, query);
    const host = this.#target.recorder?.name ?? url.host;
    const hasBody = method === "PUT" || method === "POST";
    const sent = hasBody ? { "Content-Length": String(body.bytes), "Content-MD5": body.md5 } : {};
    const unsigned = { method, url, sha256: body.sha256, headers: { ...sent, ...exchange.headers } };
    const headers = { ...(await this.#signature.headersOf(unsigned)), ...this.#way.headers };
    try {
      const answer = await this.#send(url, headers, { ...exchange, body });
      if (answer.status <= STATUS_OK_MAX) return answer;
      throw errorOfAnswer({
        host,
        bucket: this.#target.bucket,
        isRecorder: this.#target.recorder !== undefined,
        status: answer.status,
        code: errorCodeOf(answer.body),
        retryAfter: answer.headers["retry-after"],
        aheadMs: answer.aheadMs,
      });
    } catch (error) {
      throw errorOfConnection(host, error);
    }
  }

  /** Closes the connections that are kept. */
  close(): void {
    this.#way.agent.destroy();
  }

  #send(
    url: URL,
    headers: Record<string, string>,
    exchange: Exchange & { readonly body: ObjectBody },
  ): Promise<S3Answer> {
    const { method, body, signal } = exchange;
    const isAsked = body.bytes >= ASKED_FROM_BYTES;
    const { agent, proxy } = this.#way;
    const common = {
      method,
      agent,
      maxHeaderSize: HEADER_BYTES_MAX,
      headers: {
        ...headers,
        Host: url.host,
        "User-Agent": "nvrd",
        ...(isAsked ? { Expect: "100-continue" } : {}),
      },
      ...(signal === undefined ? {} : { signal }),
    };
    const call =
      proxy === undefined
        ? (url.protocol === "https:" ? requestHttps : requestHttp)(url, common)
        : requestHttp({
            ...common,
            ...proxy,
            path: url.href,
          });
    return new Promise<S3Answer>((resolve, reject) => {
      const watch = new ExchangeWatch({
        call,
        host: this.#target.recorder?.name ?? url.host,
        sentBytes: body.bytes,
        clock: this.#clock,
        silenceMsMax: this.#silenceMsMax,
      });
      const settle = (act: () => void): void => {
        watch.end();
        act();
      };
      let isAnswered = false;
      call.on("error", (error) => {
        // A server that refuses early may close before it has read all: its answer counts.
        if (!isAnswered) settle(() => reject(error));
      });
      call.once("response", (response) => {
        isAnswered = true;
        this.#read(response, exchange)
          .then((answer) => settle(() => resolve(answer)))
          .catch((error: unknown) => settle(() => reject(error)))
          .finally(() => {
            if (!call.writableFinished) call.destroy();
          });
      });
      this.#write(call, watch.paced(exchange), isAsked, () => isAnswered).catch((error: unknown) => {
        call.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  async #write(
    call: ClientRequest,
    { body, pace, signal }: Exchange & { readonly body: ObjectBody },
    isAsked: boolean,
    isAnswered: () => boolean,
  ): Promise<void> {
    if (isAsked) await this.#allowed(call);
    const isOver = (): boolean => isAnswered() || call.destroyed || signal?.aborted === true;
    for await (const chunk of body.chunks()) {
      const pieceBytes = pace === undefined ? chunk.length : PACED_BYTES;
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        const piece = chunk.subarray(at, at + pieceBytes);
        if (isOver()) return;
        await pace?.(piece.length);
        if (isOver()) return;
        if (!call.write(piece)) await drained(call);
      }
    }
    if (!call.destroyed) call.end();
  }

  /** Waits for the server's "100 Continue", its answer, or a moment. */
  #allowed(call: ClientRequest): Promise<void> {
    call.flushHeaders();
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, ASKED_MS_MAX);
      for (const event of ["continue", "response", "close", "error"])
        call.once(event, () => {
          timer.clear();
          resolve();
        });
    });
  }

  async #read(response: IncomingMessage, exchange: Exchange): Promise<S3Answer> {
    const { answerBytesMax: bytesMax = ANSWER_BYTES_MAX_DEFAULT } = exchange;
    const sink = (response.statusCode ?? 0) <= STATUS_OK_MAX ? exchange.sink : undefined;
    const { date } = response.headers;
    const serverMs = date === undefined ? Number.NaN : Date.parse(date);
    const aheadMs = Number.isNaN(serverMs)
      ? undefined
      : serverMs - Math.floor(this.#clock.nowUs() / US_PER_MS);
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new S3Error("answer", `an answer is longer than ${bytesMax} bytes`);
      if (sink === undefined) pieces.push(piece);
      else if (sink(piece) === false) await exchange.drained?.();
    }
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: Buffer.concat(pieces),
      aheadMs,
    };
  }
}

function drained(call: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ["drain", "close", "error", "response"]) call.removeListener(event, done);
      resolve();
    };
    for (const event of ["drain", "close", "error", "response"]) call.on(event, done);
  });
}

/** `Code` of an error document; empty where there is none. */
export function errorCodeOf(body: Buffer): string {
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(body.toString("utf8", 0, 4096))?.[1] ?? "";
}
