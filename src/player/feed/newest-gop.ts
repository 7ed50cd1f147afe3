import type { ByteBudget } from "../../base/index.js";
import type { FeedMessage } from "./feed-message.js";

/** Bytes of the newest group of pictures that are kept for new viewers; beyond it a new viewer waits for a key frame. */
export const FEED_GOP_BYTES_MAX = 4 * 1024 * 1024;

/** The messages of a feed since its newest key frame, within the memory that all feeds share: what a new viewer begins with. */
export class NewestGop {
  readonly #budget: ByteBudget;
  #messages: FeedMessage[] = [];
  #bytes = 0;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** Empty when they were too many. */
  get messages(): readonly FeedMessage[] {
    return this.#messages;
  }

  keep(message: FeedMessage): void {
    if (message.key) this.drop();
    else if (this.#messages.length === 0) return;
    const { length } = message.bytes;
    if (this.#bytes + length > FEED_GOP_BYTES_MAX || !this.#budget.hasRoom(length)) {
      this.drop();
      return;
    }
    this.#budget.take(length);
    this.#bytes += length;
    this.#messages.push(message);
  }

  drop(): void {
    this.#budget.giveBack(this.#bytes);
    this.#bytes = 0;
    this.#messages = [];
  }
}
