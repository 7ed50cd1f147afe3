import type { Clock } from "../../base/index.js";

/** Window in which datagrams are counted. */
const WINDOW_US = 1_000_000;
/** Datagrams accepted from one address in a window: twice what a gateway with 64 devices needs to answer three probes. */
export const SOURCE_DATAGRAMS_MAX = 400;
/** Bytes accepted from all addresses in a window. Parsing usual answers costs about 10 ms per megabyte. */
export const WINDOW_BYTES_MAX = 4 * 1024 * 1024;
/** Addresses counted separately; further ones are limited only by the remaining bytes. */
const SOURCES_MAX = 4096;

/** Limits the datagrams that are parsed, per sender and in total, so that a flood exhausts its own sender's budget first. */
export class DatagramBudget {
  readonly #clock: Clock;
  readonly #perSource = new Map<string, number>();
  #windowUs = Number.NEGATIVE_INFINITY;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a datagram is within the budget. */
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
