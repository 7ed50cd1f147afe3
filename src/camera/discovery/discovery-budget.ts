import type { Clock } from "../../base/index.js";

/** A window in which what is heard is counted. */
const WINDOW_US = 1_000_000;
/** Datagrams that one address may send in a window: 64 devices of a gateway answering three probes fit twice. */
export const SOURCE_DATAGRAMS_MAX = 400;
/** Bytes of all addresses in a window; parsing them costs some 10 ms a megabyte of usual answers. */
export const WINDOW_BYTES_MAX = 4 * 1024 * 1024;
/** Addresses counted apart; further ones share what is left of the bytes only. */
const SOURCES_MAX = 4096;

/** Bounds how much of what comes is looked at, by sender and in all: a flood costs its sender its own answers first. */
export class DatagramBudget {
  readonly #clock: Clock;
  readonly #perSource = new Map<string, number>();
  #windowUs = Number.NEGATIVE_INFINITY;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a datagram is to be looked at. */
  takes(address: string, bytes: number): boolean {
    const nowUs = this.#clock.monotonicUs();
    if (nowUs - this.#windowUs >= WINDOW_US) {
      this.#windowUs = nowUs;
      this.#bytes = 0;
      this.#perSource.clear();
    }
    const count = (this.#perSource.get(address) ?? 0) + 1;
    if (count > SOURCE_DATAGRAMS_MAX || this.#bytes + bytes > WINDOW_BYTES_MAX) return false;
    if (this.#perSource.size < SOURCES_MAX || count > 1) this.#perSource.set(address, count);
    this.#bytes += bytes;
    return true;
  }
}
