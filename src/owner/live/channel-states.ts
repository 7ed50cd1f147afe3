import { type Clock, type Guid, type SeenKind, STREAM_TYPES } from "../../base/index.js";
import type { StateMessage } from "../../contract/answer/index.js";
import type { LastingFindings } from "../../finding/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { SiteStore } from "../../site/index.js";
import { LOOK_AFTER_MS } from "./live-sockets.js";

export type ChannelState = Omit<StateMessage, "type">;

/** Nothing is to be reported of the channel: its pictures come, or none are expected, and nothing is seen. */
export function nothingAt(channel: Guid): ChannelState {
  return { channel, isLost: false, seen: [] };
}

/** What only happens, as a ring, is reported for so long. */
const MOMENT_US = 5_000_000;

interface Known {
  readonly state: ChannelState;
  /** Counts up with each change of any channel. */
  readonly change: number;
}

export interface ChannelStatesOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly streams: StreamDirectory;
  readonly findings: Pick<LastingFindings, "lasting" | "onChange">;
  readonly clock: Clock;
}

/** How all channels are, looked at once for all clients, and only while one asks. */
export class ChannelStates {
  readonly #options: ChannelStatesOptions;
  readonly #known = new Map<Guid, Known>();
  /** When each kind began last, by the monotonic clock. */
  readonly #begun = new Map<Guid, Map<SeenKind, number>>();
  #lookedUs = Number.NEGATIVE_INFINITY;
  #change = 0;

  constructor(options: ChannelStatesOptions) {
    this.#options = options;
    // Lives as long as the findings do.
    options.findings.onChange(({ channelId, kind }, change) => {
      if (change !== "began") return;
      const kinds = this.#begun.get(channelId) ?? new Map<SeenKind, number>();
      this.#begun.set(channelId, kinds.set(kind, options.clock.monotonicUs()));
    });
  }

  /** Those that changed after `change`, and the number to ask with next; 0 is before all of them. */
  since(change: number): { readonly changed: readonly ChannelState[]; readonly change: number } {
    this.#look();
    if (change === this.#change) return { changed: [], change };
    const changed = [...this.#known.values()].filter((known) => known.change > change);
    return { changed: changed.map(({ state }) => state), change: this.#change };
  }

  #look(): void {
    const { site, clock } = this.#options;
    const nowUs = clock.monotonicUs();
    // Clients are looked after one after the other in one turn.
    if (nowUs - this.#lookedUs < (LOOK_AFTER_MS * 1000) / 2) return;
    this.#lookedUs = nowUs;
    const seen = this.#seen(nowUs);
    const present = new Set<Guid>();
    for (const { id, disabled } of site.current.cameras) {
      present.add(id);
      if (disabled) this.#note(nothingAt(id));
      else this.#note({ channel: id, isLost: this.#isLost(id), seen: [...(seen.get(id) ?? [])].sort() });
    }
    for (const id of this.#known.keys()) if (!present.has(id)) this.#known.delete(id);
  }

  #note(state: ChannelState): void {
    const before = this.#known.get(state.channel)?.state;
    const wasLost = before?.isLost ?? false;
    if (wasLost === state.isLost && (before?.seen ?? []).join() === state.seen.join()) return;
    this.#change += 1;
    this.#known.set(state.channel, { state, change: this.#change });
  }

  #seen(nowUs: number): ReadonlyMap<Guid, ReadonlySet<SeenKind>> {
    const seen = new Map<Guid, Set<SeenKind>>();
    const note = (channelId: Guid, kind: SeenKind): void => {
      const kinds = seen.get(channelId) ?? new Set<SeenKind>();
      seen.set(channelId, kinds.add(kind));
    };
    for (const { channelId, kind } of this.#options.findings.lasting()) note(channelId, kind);
    for (const [channelId, kinds] of this.#begun) {
      for (const [kind, atUs] of kinds) {
        if (nowUs - atUs < MOMENT_US) note(channelId, kind);
        else kinds.delete(kind);
      }
      if (kinds.size === 0) this.#begun.delete(channelId);
    }
    return seen;
  }

  #isLost(channelId: Guid): boolean {
    const states = STREAM_TYPES.map((type) => this.#options.streams.stream(channelId, type)?.state.state);
    return states.includes("lost") && !states.includes("active");
  }
}
