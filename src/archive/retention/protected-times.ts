import type { Guid } from "../../base/index.js";

/** A stretch of time, Unix µs, `toUs` not included. */
export interface TimeSpan {
  readonly fromUs: number;
  readonly toUs: number;
}

/** The protected times of all channels, joined: retention queries this for each segment, so a query is a few comparisons. */
export class ProtectedTimes {
  readonly #byChannel = new Map<Guid, readonly TimeSpan[]>();

  /** Sets a channel's protected times, in any order, overlapping or not. */
  set(channelId: Guid, spans: readonly TimeSpan[]): void {
    if (spans.length === 0) this.#byChannel.delete(channelId);
    else this.#byChannel.set(channelId, joined(spans));
  }

  /** Channels with protected times. */
  channels(): Iterable<Guid> {
    return this.#byChannel.keys();
  }

  /** The channel's times, joined where they meet, in order. */
  of(channelId: Guid): readonly TimeSpan[] {
    return this.#byChannel.get(channelId) ?? [];
  }

  /** End of the last protected time that overlaps `[fromUs, toUs)`; undefined when none does. */
  until(channelId: Guid, fromUs: number, toUs: number): number | undefined {
    return this.of(channelId).findLast((span) => span.fromUs < toUs && span.toUs > fromUs)?.toUs;
  }
}

function joined(spans: readonly TimeSpan[]): TimeSpan[] {
  const result: TimeSpan[] = [];
  for (const { fromUs, toUs } of [...spans].sort((a, b) => a.fromUs - b.fromUs)) {
    const last = result.at(-1);
    if (last !== undefined && fromUs <= last.toUs) {
      result[result.length - 1] = { fromUs: last.fromUs, toUs: Math.max(last.toUs, toUs) };
    } else result.push({ fromUs, toUs });
  }
  return result;
}
