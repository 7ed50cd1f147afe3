import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { type Clock, type ClockTimer, loadNativeAddon, MS_PER_SECOND, US_PER_MS } from "../../base/index.js";
import { CONNECT_MS_MAX } from "./s3-connections.js";
import { S3Error } from "./s3-error.js";

/** Longest request that sends nothing; without the time in which it waited for its turn to send. */
const REQUEST_MS_MAX = 3600 * MS_PER_SECOND;
/** What it sends goes at this at least: three requests share the slowest link, of 64 kbit/s. */
const SENT_BYTES_PER_MS_MIN = 2;
/** It is looked at so often within the longest silence. */
const LOOKS = 10;

interface Paced {
  readonly pace?: (bytes: number) => Promise<void>;
}

export interface ExchangeWatchOptions {
  readonly call: ClientRequest;
  readonly host: string;
  /** Size of what it sends. */
  readonly sentBytes: number;
  readonly clock: Clock;
  readonly silenceMsMax: number;
}

/**
 * Ends a request on whose connection nothing moves, or that takes too long. What waits for its turn to send is neither, and no more
 * than two looks count from one to the next: what held the thread is not the server's.
 */
export class ExchangeWatch {
  readonly #options: ExchangeWatchOptions;
  readonly #timer: ClockTimer;
  readonly #countedUsMax: number;
  readonly #takenUsMax: number;
  #movedBytes = 0;
  #lookedUs: number;
  #silentUs = 0;
  #takenUs = 0;
  #isPaced = false;

  constructor(options: ExchangeWatchOptions) {
    this.#options = options;
    const { clock, sentBytes, silenceMsMax } = options;
    this.#takenUsMax = (REQUEST_MS_MAX + sentBytes / SENT_BYTES_PER_MS_MIN) * US_PER_MS;
    const lookMs = silenceMsMax / LOOKS;
    this.#countedUsMax = 2 * lookMs * US_PER_MS;
    this.#lookedUs = clock.monotonicUs();
    this.#timer = clock.setInterval(() => this.#look(), lookMs);
  }

  /** The same, with a pace whose waits are not counted. */
  paced<T extends Paced>(exchange: T): T {
    const { pace } = exchange;
    if (pace === undefined) return exchange;
    return {
      ...exchange,
      pace: async (bytes: number) => {
        this.#isPaced = true;
        try {
          await pace(bytes);
        } finally {
          this.#isPaced = false;
          this.#silentUs = 0;
          this.#lookedUs = this.#options.clock.monotonicUs();
        }
      },
    };
  }

  end(): void {
    this.#timer.clear();
  }

  #look(): void {
    if (this.#isPaced) return;
    const { call, host, clock, silenceMsMax } = this.#options;
    const nowUs = clock.monotonicUs();
    const countedUs = Math.min(nowUs - this.#lookedUs, this.#countedUsMax);
    const movedBytes = movedOn(call);
    this.#lookedUs = nowUs;
    this.#takenUs += countedUs;
    // Without a socket it waits for one of those that others have.
    const isStill = call.socket !== null && movedBytes === this.#movedBytes;
    this.#silentUs = isStill ? this.#silentUs + countedUs : 0;
    this.#movedBytes = movedBytes;
    if (call.socket?.connecting === true && this.#silentUs >= CONNECT_MS_MAX * US_PER_MS)
      this.#giveUp(`${host} does not answer`);
    else if (this.#silentUs >= silenceMsMax * US_PER_MS)
      this.#giveUp(`${host} has been silent for ${Math.round(silenceMsMax / MS_PER_SECOND)} s`);
    else if (this.#takenUs >= this.#takenUsMax) this.#giveUp(`${host} takes too long`);
  }

  #giveUp(text: string): void {
    this.end();
    this.#options.call.destroy(new S3Error("too-slow", text));
  }
}

/** Bytes that the peer has taken or sent. What the kernel holds is counted as it goes: a slow link takes minutes for it. */
function movedOn({ socket }: ClientRequest): number {
  return socket === null || socket.connecting
    ? 0
    : socket.bytesWritten - socket.writableLength - heldFor(socket) + socket.bytesRead;
}

const { heldBytes } = loadNativeAddon().functions;
const heldOn = typeof heldBytes === "function" ? (heldBytes as (fd: number) => number) : undefined;

/** Without the addon 0: what the kernel took has left. */
function heldFor(socket: Socket): number {
  // Undocumented; TLS gives the descriptor of the socket below it.
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly fd?: unknown } | null };
  return heldOn !== undefined && typeof handle?.fd === "number" ? heldOn(handle.fd) : 0;
}
