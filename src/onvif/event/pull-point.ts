import type { OnvifUser } from "../soap/onvif-user.js";
import type { PropertyMessage } from "./property-message.js";

/** Most messages that wait for a client; beyond them the oldest are dropped. */
export const QUEUE_MAX = 256;

export interface PullPointOptions {
  readonly id: string;
  /** As of the newest request of the client. */
  readonly user: OnvifUser;
  /** Whether the client asked for messages of this topic. */
  readonly isWanted: (topic: string) => boolean;
  readonly lifeMs: number;
  readonly nowMs: number;
}

/** One client's queue of messages. */
export class PullPoint {
  readonly id: string;
  readonly lifeMs: number;
  /** By the monotonic clock. */
  endsMs: number;
  user: OnvifUser;
  readonly #isWanted: (topic: string) => boolean;
  #queue: PropertyMessage[] = [];
  #waiting: (() => void) | undefined;

  constructor({ id, user, isWanted, lifeMs, nowMs }: PullPointOptions) {
    this.id = id;
    this.user = user;
    this.lifeMs = lifeMs;
    this.endsMs = nowMs + lifeMs;
    this.#isWanted = isWanted;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  offer(message: PropertyMessage): void {
    if (!this.#isWanted(message.topic)) return;
    this.#queue.push(message);
    if (this.#queue.length > QUEUE_MAX) this.#queue.shift();
    this.wake();
  }

  take(limit: number): readonly PropertyMessage[] {
    return this.#queue.splice(0, limit);
  }

  /** Calls `wake` once when there is something, or when the next one waits. */
  onMessage(wake: () => void): void {
    this.wake();
    this.#waiting = wake;
  }

  /** Ends a wait. */
  wake(): void {
    const wake = this.#waiting;
    this.#waiting = undefined;
    wake?.();
  }
}
