import type { Guid } from "../../base/index.js";
import { type ChannelState, type ChannelStates, nothingAt } from "./channel-states.js";

/** The channel states that one client has. It gets what changes, and what is over of a channel that it may not watch any more. */
export class SentStates {
  readonly #states: ChannelStates;
  /** Channels of which the client believes something. */
  readonly #sent = new Set<Guid>();
  /** By `ChannelStates`; undefined: the client does not ask. */
  #change: number | undefined;

  constructor(states: ChannelStates) {
    this.#states = states;
  }

  get isAsked(): boolean {
    return this.#change !== undefined;
  }

  /** The client asks from now on, or no more; also that what it may watch has changed. */
  ask(isAsked: boolean): void {
    this.#change = isAsked ? 0 : undefined;
  }

  /** The states to send now. */
  next(mayWatch: (channel: Guid) => boolean): readonly ChannelState[] {
    if (this.#change === undefined) return [];
    const { changed, change } = this.#states.since(this.#change);
    this.#change = change;
    const over = [...this.#sent].filter((channel) => !mayWatch(channel));
    // What is over is sent to those who do not know it.
    const news = changed.filter(
      (state) => mayWatch(state.channel) && (isSomething(state) || this.#sent.has(state.channel)),
    );
    const next = [...over.map(nothingAt), ...news];
    for (const state of next) {
      if (isSomething(state)) this.#sent.add(state.channel);
      else this.#sent.delete(state.channel);
    }
    return next;
  }
}

function isSomething({ isLost, seen }: ChannelState): boolean {
  return isLost || seen.length > 0;
}
