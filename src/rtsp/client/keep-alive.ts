import { errorText, type Log, US_PER_MS, US_PER_SECOND } from "../../base/index.js";
import type { RtspResponse } from "../message/rtsp-message.js";
import { RtspFailure } from "./rtsp-failure.js";
import type { KeepAliveMethod } from "./session-headers.js";

export interface KeepAliveOptions {
  /**
   * In the order to try; the next one when the server refuses one, or does not answer it. None: the session is not renewed by
   * requests.
   */
  readonly methods: readonly KeepAliveMethod[];
  /** Lifetime of the session, as the server says; it is renewed at half of it. */
  readonly timeoutS: number;
  readonly startUs: number;
  readonly log: Log;
  send(method: KeepAliveMethod, timeoutMs: number): Promise<RtspResponse>;
  /** The server says that the session is gone. Some say so of sessions that go on: what comes decides. */
  onDropped(): void;
  /** The server no longer accepts the credentials. */
  onLost(failure: RtspFailure): void;
}

const SESSION_NOT_FOUND = 454;
/** Failures of a request that leave the connection as it was. */
const WORDLESS: ReadonlySet<RtspFailure["kind"]> = new Set(["no-answer", "protocol"]);
/** Cameras name lifetimes that they do not keep: a session is renewed this often at least. */
export const RENEWED_US_MAX = 30 * US_PER_SECOND;
/** Some name a second: a session is not renewed more often than this. */
export const RENEWED_US_MIN = US_PER_SECOND;

/** Renews a session in time (RFC 2326, 12.37), with the least intrusive request that the server accepts. */
export class KeepAlive {
  readonly #options: KeepAliveOptions;
  readonly #intervalUs: number;
  #dueUs: number;
  #index = 0;
  #running: KeepAliveMethod | undefined;

  constructor(options: KeepAliveOptions) {
    this.#options = options;
    const halfUs = (options.timeoutS * US_PER_SECOND) / 2;
    this.#intervalUs = Math.min(Math.max(halfUs, RENEWED_US_MIN), RENEWED_US_MAX);
    this.#dueUs = options.startUs + this.#intervalUs;
  }

  /** The request whose response is awaited. */
  get unanswered(): KeepAliveMethod | undefined {
    return this.#running;
  }

  /** Sends a request when one is due and none is under way. */
  onTick(nowUs: number): void {
    if (nowUs >= this.#dueUs) this.ask(nowUs);
  }

  /** Sends one now, unless one is under way: the response shows that the camera is there. */
  ask(nowUs: number): void {
    this.#dueUs = nowUs + this.#intervalUs;
    if (this.#running !== undefined || this.#options.methods.length === 0) return;
    this.#renew()
      .catch((error: unknown) => {
        if (error instanceof RtspFailure && error.kind === "unauthorized") this.#options.onLost(error);
        // A camera that is busy streaming may not answer; the session's life is seen by what it sends.
        else this.#options.log.debug({ error: errorText(error) }, "keep-alive failed");
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #renew(): Promise<void> {
    const { methods, onDropped } = this.#options;
    for (;;) {
      const method = methods[this.#index] ?? "OPTIONS";
      this.#running = method;
      const response = await this.#answer(method);
      if (response?.status === SESSION_NOT_FOUND) onDropped();
      const isRenewed = response !== undefined && response.status < 400;
      const isLast = this.#index + 1 >= methods.length;
      // A server that answers nothing may be busy: the first is tried again in its turn.
      if (response === undefined && isLast) this.#index = 0;
      if (isRenewed || isLast) return;
      this.#index += 1;
    }
  }

  /** Undefined where what came is no answer, or nothing came while there is time for another request. */
  async #answer(method: KeepAliveMethod): Promise<RtspResponse | undefined> {
    try {
      return await this.#options.send(method, this.#intervalUs / 2 / US_PER_MS);
    } catch (error) {
      if (!(error instanceof RtspFailure) || !WORDLESS.has(error.kind)) throw error;
      this.#options.log.debug({ error: errorText(error) }, "keep-alive failed");
      return undefined;
    }
  }
}

/**
 * Which keep-alive requests a camera cannot bear: it hung up instead of answering. Outlives the sessions, so that the next one uses
 * another request, or none.
 */
export class KeepAliveManners {
  readonly #unbearable = new Set<KeepAliveMethod>();

  bearable(methods: readonly KeepAliveMethod[]): readonly KeepAliveMethod[] {
    return methods.filter((method) => !this.#unbearable.has(method));
  }

  /** The camera closed the connection. `unanswered`: while it owed the response to this request. */
  hungUp(unanswered: KeepAliveMethod | undefined): void {
    // Without requests the session ended as well: then they are not what it minds.
    if (unanswered === undefined) this.#unbearable.clear();
    else this.#unbearable.add(unanswered);
  }
}
