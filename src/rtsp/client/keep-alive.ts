import { errorText, type Log, US_PER_SECOND } from "../../base/index.js";
import type { RtspResponse } from "../message/rtsp-message.js";
import { RtspFailure } from "./rtsp-failure.js";
import type { KeepAliveMethod } from "./session-headers.js";

export interface KeepAliveOptions {
  /** In the order to try; the next one when the server refuses one. */
  readonly methods: readonly KeepAliveMethod[];
  /** Lifetime of the session; it is renewed at half of it. */
  readonly timeoutS: number;
  readonly startUs: number;
  readonly log: Log;
  send(method: KeepAliveMethod): Promise<RtspResponse>;
  /** The server says that the session is gone, or no longer accepts the credentials. */
  onLost(failure: RtspFailure): void;
}

const SESSION_NOT_FOUND = 454;

/** Renews a session in time (RFC 2326, 12.37), with the least intrusive request that the server accepts. */
export class KeepAlive {
  readonly #options: KeepAliveOptions;
  readonly #intervalUs: number;
  #dueUs: number;
  #index = 0;
  #isRunning = false;

  constructor(options: KeepAliveOptions) {
    this.#options = options;
    this.#intervalUs = (options.timeoutS * US_PER_SECOND) / 2;
    this.#dueUs = options.startUs + this.#intervalUs;
  }

  /** Sends a request when one is due and none is under way. */
  onTick(nowUs: number): void {
    if (nowUs < this.#dueUs) return;
    this.#dueUs = nowUs + this.#intervalUs;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#renew()
      .catch((error: unknown) => {
        if (error instanceof RtspFailure && error.kind === "unauthorized") this.#options.onLost(error);
        // A camera that is busy streaming may not answer; the frame watchdog decides.
        else this.#options.log.debug({ error: errorText(error) }, "keep-alive failed");
      })
      .finally(() => {
        this.#isRunning = false;
      });
  }

  async #renew(): Promise<void> {
    const { methods, send, onLost } = this.#options;
    for (;;) {
      const response = await send(methods[this.#index] ?? "OPTIONS");
      if (response.status === SESSION_NOT_FOUND) {
        onLost(new RtspFailure("closed", "the camera has dropped the session"));
        return;
      }
      if (response.status < 400 || this.#index + 1 >= methods.length) return;
      this.#index += 1;
    }
  }
}
