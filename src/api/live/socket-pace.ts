import type { Clock } from "../../base/index.js";
import type { SocketConnection } from "../../http/index.js";

/** Bytes that may wait for a client before pictures are left out. */
export const CLIENT_BEHIND_BYTES_MAX = 4 * 1024 * 1024;
/** Something may wait for a client without a pause for this long before pictures are left out. */
export const CLIENT_BEHIND_MS_MAX = 1000;
/** Feeds that were left out go on while fewer bytes wait. */
const RESUME_BYTES_MAX = 256 * 1024;
/** A client that takes nothing at all for this long is disconnected. */
export const CLIENT_STALLED_MS_MAX = 30_000;

/** Whether a client keeps up. It is one for all that a client watches: they share its connection. */
export class SocketPace {
  readonly #connection: SocketConnection;
  readonly #clock: Clock;
  /** When nothing waited, the last time. */
  #freeUs: number;
  /** When it took something, the last time. */
  #takenUs: number;

  constructor(connection: SocketConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#freeUs = clock.monotonicUs();
    this.#takenUs = this.#freeUs;
  }

  /** Whether so many bytes more can be sent now. */
  takes(bytes: number): boolean {
    const waiting = this.#connection.waitingBytes;
    const nowUs = this.#clock.monotonicUs();
    if (waiting === 0) {
      this.#freeUs = nowUs;
      this.#takenUs = nowUs;
      return true;
    }
    return waiting + bytes <= CLIENT_BEHIND_BYTES_MAX && nowUs - this.#freeUs <= CLIENT_BEHIND_MS_MAX * 1000;
  }

  /** Whether a feed that was left out may go on. */
  get mayResume(): boolean {
    const waiting = this.#connection.waitingBytes;
    if (waiting === 0) return this.takes(0);
    return waiting <= RESUME_BYTES_MAX && this.takes(0);
  }

  drained(): void {
    this.#takenUs = this.#clock.monotonicUs();
    if (this.#connection.waitingBytes === 0) this.#freeUs = this.#takenUs;
  }

  /** Whether the client has taken nothing for too long. */
  get isStalled(): boolean {
    if (this.#connection.waitingBytes === 0) return false;
    return this.#clock.monotonicUs() - this.#takenUs > CLIENT_STALLED_MS_MAX * 1000;
  }
}
