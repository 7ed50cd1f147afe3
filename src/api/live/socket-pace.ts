import type { ByteBudget, Clock } from "../../base/index.js";
import type { SocketConnection } from "../../http/index.js";

/** Bytes that may wait for a client before pictures are left out. */
export const CLIENT_BEHIND_BYTES_MAX = 4 * 1024 * 1024;
/** Something may wait for a client without a pause for this long before pictures are left out. */
export const CLIENT_BEHIND_MS_MAX = 1000;
/** Feeds that were left out go on while fewer bytes wait. */
const RESUME_BYTES_MAX = 256 * 1024;
/** A client that takes nothing at all for this long is disconnected. */
export const CLIENT_STALLED_MS_MAX = 30_000;

/** Bytes that may wait for all clients; less on a small machine. Beyond it pictures are left out for those that are behind. */
export const CLIENTS_WAITING_BYTES_MAX = 256 * 1024 * 1024;

/** Whether a client keeps up. It is one for all that a client watches: they share its connection. */
export class SocketPace {
  readonly #connection: SocketConnection;
  readonly #clock: Clock;
  /** Shared by all clients. */
  readonly #budget: ByteBudget;
  /** Bytes of the budget that this client has. */
  #counted = 0;
  /** When nothing waited, the last time. */
  #freeUs: number;
  /** When it took something, the last time. */
  #takenUs: number;

  constructor(connection: SocketConnection, budget: ByteBudget, clock: Clock) {
    this.#connection = connection;
    this.#budget = budget;
    this.#clock = clock;
    this.#freeUs = clock.monotonicUs();
    this.#takenUs = this.#freeUs;
  }

  /** Whether so many bytes more can be sent now. */
  takes(bytes: number): boolean {
    const waiting = this.#count();
    const nowUs = this.#clock.monotonicUs();
    if (waiting === 0) {
      this.#freeUs = nowUs;
      this.#takenUs = nowUs;
      return true;
    }
    if (waiting + bytes > CLIENT_BEHIND_BYTES_MAX || !this.#budget.hasRoom(bytes)) return false;
    return nowUs - this.#freeUs <= CLIENT_BEHIND_MS_MAX * 1000;
  }

  /** Whether a feed that was left out may go on. */
  get mayResume(): boolean {
    const waiting = this.#connection.waitingBytes;
    if (waiting === 0) return this.takes(0);
    return waiting <= RESUME_BYTES_MAX && this.takes(0);
  }

  drained(): void {
    this.#takenUs = this.#clock.monotonicUs();
    if (this.#count() === 0) this.#freeUs = this.#takenUs;
  }

  /** The client has gone. */
  close(): void {
    this.#budget.giveBack(this.#counted);
    this.#counted = 0;
  }

  /** Bytes that wait now. */
  #count(): number {
    const waiting = this.#connection.waitingBytes;
    if (waiting === this.#counted) return waiting;
    this.#budget.giveBack(this.#counted);
    this.#budget.take(waiting);
    this.#counted = waiting;
    return waiting;
  }

  /** Whether the client has taken nothing for too long. */
  get isStalled(): boolean {
    if (this.#connection.waitingBytes === 0) return false;
    return this.#clock.monotonicUs() - this.#takenUs > CLIENT_STALLED_MS_MAX * 1000;
  }
}
