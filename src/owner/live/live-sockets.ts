import { ByteBudget, type Clock, type ClockTimer, NvrdError } from "../../base/index.js";
import { CLIENTS_WAITING_BYTES_MAX } from "../../player/index.js";

/** Clients of the live socket from one address. */
export const SOCKETS_PER_ADDRESS_MAX = 200;
/** How often clients are looked after: what has no picture is tried again, who takes nothing is disconnected. */
export const LOOK_AFTER_MS = 1000;

/** One client. */
export interface SocketClient {
  /** Its subscriptions. */
  readonly liveWatches: number;
  readonly recordedWatches: number;
  lookAfter(): void;
}

/** What the clients have now, and what was left out since the start. */
export interface SocketFigures {
  readonly clients: number;
  readonly liveWatches: number;
  readonly recordedWatches: number;
  readonly leftOut: number;
  readonly waitingBytes: number;
}

/** All clients of the live socket. */
export class LiveSockets {
  /** Bytes that wait for the clients. */
  readonly waiting: ByteBudget;
  readonly #clock: Clock;
  readonly #clients = new Set<SocketClient>();
  readonly #byAddress = new Map<string, number>();
  #timer: ClockTimer | undefined;
  #leftOut = 0;

  /** `waitingBytesMax`: CLIENTS_WAITING_BYTES_MAX by default. */
  constructor(clock: Clock, waitingBytesMax = CLIENTS_WAITING_BYTES_MAX) {
    this.waiting = new ByteBudget(waitingBytesMax);
    this.#clock = clock;
  }

  figures(): SocketFigures {
    let [liveWatches, recordedWatches] = [0, 0];
    for (const client of this.#clients) {
      liveWatches += client.liveWatches;
      recordedWatches += client.recordedWatches;
    }
    const { size: clients } = this.#clients;
    return {
      clients,
      liveWatches,
      recordedWatches,
      leftOut: this.#leftOut,
      waitingBytes: this.waiting.bytes,
    };
  }

  /** So many pictures were left out for a client. */
  countLeftOut(pictures: number): void {
    this.#leftOut += pictures;
  }

  /** Throws NvrdError TOO_MANY_REQUESTS if the address has too many clients. */
  requireRoom(address: string): void {
    if ((this.#byAddress.get(address) ?? 0) < SOCKETS_PER_ADDRESS_MAX) return;
    throw new NvrdError(
      "TOO_MANY_REQUESTS",
      `${SOCKETS_PER_ADDRESS_MAX} live sockets are open from your address already`,
      { hint: "one is enough: a socket carries any number of channels" },
    );
  }

  /** Adds a client; returns a function that removes it. */
  add(address: string, client: SocketClient): () => void {
    this.#clients.add(client);
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
    this.#timer ??= this.#clock.setInterval(() => this.#lookAfter(), LOOK_AFTER_MS);
    return () => {
      if (!this.#clients.delete(client)) return;
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
      if (this.#clients.size > 0) return;
      this.#timer?.clear();
      this.#timer = undefined;
    };
  }

  #lookAfter(): void {
    for (const client of [...this.#clients]) client.lookAfter();
  }
}
