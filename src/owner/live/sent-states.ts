import type { Guid } from "../../base/index.js";
import { type ChannelState, type ChannelStates, nothingAt } from "./channel-states.js";

/** What one client was told of how channels are. It is told what changes, and what is over of a channel that it may not watch any more. */
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

  /** What is to be told now. */
  next(mayWatch: (channel: Guid) => boolean): readonly ChannelState[] {
    if (this.#change === undefined) return [];
    const { changed, change } = this.#states.since(this.#change);
    this.#change = change;
    const over = [...this.#sent].filter((channel) => !mayWatch(channel));
    // What is over is told to those who believe that it is not.
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
