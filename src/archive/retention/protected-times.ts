import { type Guid, type Interval, union } from "../../base/index.js";

/** The protected times of all channels, joined: retention queries this for each segment, so a query is a few comparisons. */
export class ProtectedTimes {
  readonly #byChannel = new Map<Guid, readonly Interval[]>();

  /** Sets a channel's protected times, in any order, overlapping or not. */
  set(channelId: Guid, spans: readonly Interval[]): void {
    if (spans.length === 0) this.#byChannel.delete(channelId);
    else this.#byChannel.set(channelId, union(spans));
  }

  /** Channels with protected times. */
  channels(): Iterable<Guid> {
    return this.#byChannel.keys();
  }

  /** The channel's times, joined where they meet, in order. */
  of(channelId: Guid): readonly Interval[] {
    return this.#byChannel.get(channelId) ?? [];
  }

  /** End of the last protected time that overlaps `[fromUs, toUs)`; undefined when none does. */
  until(channelId: Guid, fromUs: number, toUs: number): number | undefined {
    return this.of(channelId).findLast((span) => span.fromUs < toUs && span.toUs > fromUs)?.toUs;
  }
}
