import type { Duplex } from "node:stream";
import {
  type Clock,
  errorText,
  type Log,
  MS_PER_SECOND,
  NvrdError,
  noteWork,
  type RequestTurns,
  redactUrl,
  US_PER_MS,
} from "../../base/index.js";
import { DirectSender } from "../message/direct-send.js";
import { writeResponse } from "../message/message-writer.js";
import { RequestHandler, type RequestHandlerOptions, type ServerResponse } from "./request-handler.js";
import { INTERLEAVED_HEADER_BYTES, RequestParser } from "./request-parser.js";
import { RequestError, type ServerRequest } from "./server-request.js";
import type { SessionOutput } from "./server-session.js";
import type { Strangers } from "./strangers.js";

/** A request must be complete within this time after its first byte. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** A session ends after this long without a request or RTCP packet from the client (RFC 2326, 12.37). */
export const SESSION_TIMEOUT_MS_DEFAULT = 60_000;
/** A viewer that reads nothing from its full socket for this long is disconnected. */
export const VIEWER_STALL_TIMEOUT_MS = 30_000;
/** The last bytes before a connection ends must be sent within this time. */
export const FINISH_TIMEOUT_MS = 5_000;
/** Most bytes of responses queued for a client that sends requests but does not read. */
export const RESPONSE_BYTES_QUEUED_MAX = 256 * 1024;
/** Most bytes of interleaved packets in a second: reports of a session's receiver are some hundred. */
export const INTERLEAVED_BYTES_PER_SECOND_MAX = 64 * 1024;
/** Most bytes of interleaved packets without a session: reports that are under way while it ends. */
export const STRAY_BYTES_MAX = 4 * 1024;
/** Requests that are answered without a turn of the event loop, which receives what is recorded. */
export const REQUESTS_A_TURN = 16;
/** Requests that fail to authenticate before the connection is closed. */
export const AUTH_FAILURES_MAX = 8;

const SERVER_NAME = "nvrd";
const REALM = "nvrd";
/** Sent as 503 with Retry-After: RTSP has no 429 (RFC 2326, 7.1.1). */
const TOO_MANY_REQUESTS = 429;

export interface ServerConnectionOptions
  extends Omit<RequestHandlerOptions, "output" | "sessionTimeoutMs" | "onReceived"> {
  readonly socket: Duplex;
  /** The peer's address, for the log. */
  readonly peer: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly sessionTimeoutMs: number;
  /** Of all connections together. */
  readonly turns: RequestTurns;
  readonly strangers: Strangers | undefined;
  readonly onClose: (connection: ServerConnection) => void;
}

/** One client's TCP connection: its bytes, its requests in order, its timeouts. */
export class ServerConnection implements SessionOutput {
  readonly #options: ServerConnectionOptions;
  readonly #socket: Duplex;
  readonly #sender: DirectSender;
  readonly #parser = new RequestParser();
  readonly #handler: RequestHandler;
  #state: "open" | "finishing" | "closed" = "open";
  #busy = false;
  /** Requests in the present turn of the event loop. */
  #requestsInTurn = 0;
  #responseBytesQueued = 0;
  /** Of interleaved packets since the last tick, and of all without a session. */
  #interleavedBytes = 0;
  #strayBytes = 0;
  /**
   * Monotonic times: the client's last bytes, the last completed write, the start of an incomplete request, the start
   * of finishing.
   */
  #lastReceivedUs: number;
  #writtenUs: number;
  #incompleteSinceUs: number | undefined;
  #finishingSinceUs = 0;

  constructor(options: ServerConnectionOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.#sender = new DirectSender(options.socket);
    this.#lastReceivedUs = options.clock.monotonicUs();
    this.#writtenUs = this.#lastReceivedUs;
    const onReceived = () => this.#onReceived();
    this.#handler = new RequestHandler({ ...options, output: this, onReceived });
  }

  start(): void {
    const socket = this.#socket;
    socket.on("data", (bytes: Buffer) => this.#onBytes(bytes));
    socket.on("error", (error) => this.close(errorText(error)));
    socket.on("end", () => this.close("the client closed the connection"));
    socket.on("close", () => this.close("the connection is closed"));
  }

  /** Ends session and socket at once. Calling it twice is harmless. */
  close(reason: string): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#handler.close();
    this.#socket.destroy();
    this.#options.log.debug({ peer: this.#options.peer, reason }, "RTSP connection closed");
    this.#options.onClose(this);
  }

  get address(): string {
    return this.#options.address;
  }

  get isPlaying(): boolean {
    return this.#handler.isPlaying;
  }

  /** Called about once a second: timeouts and sender reports. */
  onTick(monotonicUs: number): void {
    this.#interleavedBytes = 0;
    const sinceMs = (us: number) => (monotonicUs - us) / US_PER_MS;
    if (this.#state === "finishing") {
      if (sinceMs(this.#finishingSinceUs) > FINISH_TIMEOUT_MS)
        this.close("the last bytes were not sent in time");
    } else if (
      this.#incompleteSinceUs !== undefined &&
      sinceMs(this.#incompleteSinceUs) > REQUEST_TIMEOUT_MS
    ) {
      this.close("a request was not completed in time");
    } else if (sinceMs(this.#lastReceivedUs) > this.#options.sessionTimeoutMs) {
      this.close("no request or report from the client within the session's timeout");
    } else if (this.#socket.writableLength > 0 && sinceMs(this.#writtenUs) > VIEWER_STALL_TIMEOUT_MS) {
      this.close("the client has stopped reading");
    } else this.#handler.sendDueReports(monotonicUs);
  }

  #write(bytes: Buffer, onWritten: () => void = this.#onWritten): void {
    if (this.#state !== "open" || this.#socket.destroyed) return;
    if (this.#socket.writableLength === 0) this.#writtenUs = this.#options.clock.monotonicUs();
    this.#socket.write(bytes, onWritten);
  }

  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  sendableFd(): number {
    return this.#state === "open" ? this.#sender.fd : -1;
  }

  /** Packets: those that are sent at once are not reported, because nobody waits for room then. */
  write(packets: Buffer): void {
    if (this.#state !== "open") return;
    const sent = this.#sender.send(packets);
    if (sent < packets.length) this.#write(sent === 0 ? packets : packets.subarray(sent));
  }

  readonly #onWritten = (): void => {
    this.#writtenUs = this.#options.clock.monotonicUs();
    if (this.#state === "open") this.#handler.onDrained();
  };

  #onReceived(): void {
    this.#lastReceivedUs = this.#options.clock.monotonicUs();
  }

  #respond(response: ServerResponse, cseq: string | undefined): void {
    const sequence = cseq === undefined ? {} : { CSeq: cseq };
    const bytes = writeResponse({
      ...response,
      headers: { ...sequence, Server: SERVER_NAME, ...response.headers },
    });
    this.#responseBytesQueued += bytes.length;
    this.#write(bytes, () => {
      this.#responseBytesQueued -= bytes.length;
      this.#onWritten();
    });
    if (this.#responseBytesQueued > RESPONSE_BYTES_QUEUED_MAX)
      this.close("the client sends requests but does not read the responses");
  }

  /** Sends and handles nothing more; the connection closes when what was written is sent, or by timeout. */
  finish(reason: string): void {
    if (this.#state !== "open") return;
    this.#state = "finishing";
    this.#finishingSinceUs = this.#options.clock.monotonicUs();
    this.#handler.close();
    this.#options.log.debug({ peer: this.#options.peer, reason }, "RTSP connection is closing");
    this.#socket.resume();
    this.#socket.end(() => this.close(reason));
  }

  #onBytes(bytes: Buffer): void {
    if (this.#state !== "open") return;
    this.#onReceived();
    const { turns } = this.#options;
    // Nothing more is read of this connection until its turn.
    if (turns.isUsedUp) this.#socket.pause();
    turns.run(() => this.#take(bytes));
  }

  #take(bytes: Buffer): void {
    if (this.#state !== "open") return;
    this.#counted(() => {
      this.#parser.push(bytes);
      if (this.#busy || this.#requestsInTurn >= REQUESTS_A_TURN) this.#socket.pause();
      else this.#goOnReading();
    });
  }

  /** Counts how long the main thread is held by what came, also after a wait. */
  #counted(run: () => void): void {
    const { clock, strangers, address } = this.#options;
    const startedUs = clock.monotonicUs();
    run();
    const ms = (clock.monotonicUs() - startedUs) / US_PER_MS;
    strangers?.spent(address, ms);
    noteWork("RTSP requests", ms);
  }

  /** Handles items up to the next request; continues when that is answered. */
  #work(): void {
    try {
      for (let item = this.#parser.next(); item !== undefined; item = this.#parser.next()) {
        this.#incompleteSinceUs = undefined;
        if (item.kind === "interleaved") {
          if (this.#takesInterleaved(item.bytes)) continue;
          return;
        }
        // Who has a session was let in.
        if (!this.#handler.hasSession) this.#options.strangers?.require(this.#options.address);
        this.#busy = true;
        void this.#answer(item.request);
        return;
      }
    } catch (error) {
      // The bytes cannot be parsed any further, or are a stranger's, who had the time for strangers: one response, then the end.
      this.#respond(failure(error), undefined);
      this.finish(errorText(error));
      return;
    }
    this.#incompleteSinceUs =
      this.#parser.pendingBytes === 0
        ? undefined
        : (this.#incompleteSinceUs ?? this.#options.clock.monotonicUs());
  }

  /** Reports of the session's receiver are all that a client sends; without a session there is nothing to report. */
  #takesInterleaved(bytes: number): boolean {
    this.#interleavedBytes += bytes + INTERLEAVED_HEADER_BYTES;
    if (!this.#handler.hasSession) this.#strayBytes += bytes + INTERLEAVED_HEADER_BYTES;
    if (this.#strayBytes > STRAY_BYTES_MAX) this.close("interleaved data without a session");
    else if (this.#interleavedBytes > INTERLEAVED_BYTES_PER_SECOND_MAX)
      this.close("more interleaved data than the reports of a receiver");
    return this.#state === "open";
  }

  /** Never rejects. */
  async #answer(request: ServerRequest): Promise<void> {
    const response = await this.#handler.handle(request).catch((error: unknown) => this.#failureOf(error));
    this.#counted(() => this.#goOn(request, response));
  }

  /** Sends the response, and handles what has come meanwhile. */
  #goOn(request: ServerRequest, response: ServerResponse): void {
    const { log, peer } = this.#options;
    log.debug(
      { peer, method: request.method, uri: redactUrl(request.uri), status: response.status },
      "RTSP request",
    );
    this.#respond(response, request.headers.get("cseq"));
    try {
      this.#handler.answered();
    } catch (error) {
      this.#failureOf(error);
      this.finish("the stream could not be opened");
    }
    if (this.#handler.authFailures >= AUTH_FAILURES_MAX) this.finish("too many wrong credentials");
    this.#busy = false;
    if (this.#state !== "open") return;
    this.#requestsInTurn += 1;
    if (this.#requestsInTurn === 1) setImmediate(() => this.#onTurn());
    if (this.#requestsInTurn < REQUESTS_A_TURN) this.#goOnReading();
  }

  /** Goes on with requests that were left for this turn. */
  #onTurn(): void {
    const isWaiting = this.#requestsInTurn >= REQUESTS_A_TURN;
    this.#requestsInTurn = 0;
    if (isWaiting && this.#state === "open" && !this.#busy) this.#counted(() => this.#goOnReading());
  }

  #goOnReading(): void {
    if (this.#socket.isPaused()) this.#socket.resume();
    this.#work();
  }

  /** The response to any failure: a source's error must not end the process. */
  #failureOf(error: unknown): ServerResponse {
    if (error instanceof NvrdError) {
      if (error.status === 401) this.#handler.authFailures += 1;
    } else if (!(error instanceof RequestError)) {
      this.#options.log.error({ peer: this.#options.peer, error: errorText(error) }, "RTSP request failed");
    }
    return failure(error);
  }
}

function failure(error: unknown): ServerResponse {
  if (error instanceof NvrdError) return refusal(error);
  if (!(error instanceof RequestError)) return { status: 500 };
  return { status: error.status, headers: { "Content-Type": "text/plain" }, body: `${error.message}\r\n` };
}

/** The response to a refusal by a resolver or its source. */
function refusal(error: NvrdError): ServerResponse {
  const { status, message, hint, retryAfterMs } = error;
  const seconds = Math.ceil((retryAfterMs ?? 0) / MS_PER_SECOND);
  return {
    status: status === TOO_MANY_REQUESTS ? 503 : status,
    headers: {
      "Content-Type": "text/plain",
      ...(status === 401 ? { "WWW-Authenticate": `Basic realm="${REALM}"` } : {}),
      ...(retryAfterMs === undefined ? {} : { "Retry-After": String(seconds) }),
    },
    body: `${hint === "" ? message : `${message}: ${hint}`}\r\n`,
  };
}
