import type { ClientRequest } from "node:http";
import { type Clock, type ClockTimer, MS_PER_SECOND, US_PER_MS } from "../../base/index.js";
import { S3Error } from "./s3-error.js";

/** Longest request, however large and slow; without the time in which it waited for its turn to send. */
const REQUEST_MS_MAX = 3600 * MS_PER_SECOND;
/** It is looked at so often within the longest silence. */
const LOOKS = 10;

interface Paced {
  readonly pace?: (bytes: number) => Promise<void>;
}

export interface ExchangeWatchOptions {
  readonly call: ClientRequest;
  readonly host: string;
  readonly clock: Clock;
  readonly silenceMsMax: number;
}

/** Ends a request on whose connection nothing moves, or that takes too long. What waits for its turn to send is neither. */
export class ExchangeWatch {
  readonly #options: ExchangeWatchOptions;
  readonly #timer: ClockTimer;
  #movedBytes = 0;
  #movedUs: number;
  #beganUs: number;
  /** Since when it waits for its turn; undefined: it does not. */
  #pacedUs: number | undefined;

  constructor(options: ExchangeWatchOptions) {
    this.#options = options;
    const { clock, silenceMsMax } = options;
    this.#beganUs = clock.monotonicUs();
    this.#movedUs = this.#beganUs;
    this.#timer = clock.setInterval(() => this.#look(), silenceMsMax / LOOKS);
  }

  /** The same, with a pace whose waits are not counted. */
  paced<T extends Paced>(exchange: T): T {
    const { pace } = exchange;
    if (pace === undefined) return exchange;
    const { clock } = this.#options;
    return {
      ...exchange,
      pace: async (bytes: number) => {
        const sinceUs = clock.monotonicUs();
        this.#pacedUs = sinceUs;
        try {
          await pace(bytes);
        } finally {
          this.#pacedUs = undefined;
          this.#movedUs = clock.monotonicUs();
          this.#beganUs += this.#movedUs - sinceUs;
        }
      },
    };
  }

  end(): void {
    this.#timer.clear();
  }

  #look(): void {
    if (this.#pacedUs !== undefined) return;
    const { call, host, clock, silenceMsMax } = this.#options;
    const nowUs = clock.monotonicUs();
    const movedBytes = movedOn(call);
    if (movedBytes !== this.#movedBytes) this.#movedUs = nowUs;
    this.#movedBytes = movedBytes;
    if (nowUs - this.#movedUs >= silenceMsMax * US_PER_MS) {
      const text = `${host} has been silent for ${Math.round(silenceMsMax / MS_PER_SECOND)} s`;
      this.#giveUp(text);
    } else if (nowUs - this.#beganUs >= REQUEST_MS_MAX * US_PER_MS) this.#giveUp(`${host} takes too long`);
  }

  #giveUp(text: string): void {
    this.end();
    this.#options.call.destroy(new S3Error("too-slow", text));
  }
}

/** Bytes that have left or come in; what waits to be written has not left. */
function movedOn({ socket }: ClientRequest): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength + socket.bytesRead;
}
