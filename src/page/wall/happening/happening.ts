import { computed, effect, signal } from "@preact/signals";
import type { StateMessage } from "../../../contract/answer/index.js";
import { liveSocket } from "../../player/live-socket.js";
import { EVEN_TILES_MAX } from "../layout/layout.js";
import { HappeningTiles, isHappening, STAYS_MS } from "./happening-tiles.js";

type ChannelState = Pick<StateMessage, "isLost" | "seen">;

/** Of the channels of which something is to be told. */
const states = signal<ReadonlyMap<string, ChannelState>>(new Map());

/** Channels whose camera does not answer, on the wall or not. */
export const lostChannels = computed<ReadonlySet<string>>(
  () => new Set([...states.value].filter(([, { isLost }]) => isLost).map(([id]) => id)),
);

/** What is seen at a channel now; empty: nothing. */
export function seenAt(channel: string): StateMessage["seen"] {
  return (states.value.get(channel)?.seen ?? []).filter(isHappening);
}

const tiles = new HappeningTiles(EVEN_TILES_MAX);

/** The cameras of the wall that shows where something happens, in the order of its tiles. */
export const happening = signal<readonly string[]>([]);

/** Hears how channels are, for as long as the wall is shown. Returns how to stop. */
export function followHappening(): () => void {
  const forget = liveSocket.followStates({
    onBegin: () => (states.value = new Map()),
    onState: ({ channel, isLost, seen }) => {
      states.value = new Map(states.peek()).set(channel, { isLost, seen });
    },
  });
  const arrange = (): void => {
    const now = [...states.value].filter(([, { seen }]) => seen.some(isHappening)).map(([id]) => id);
    const next = tiles.arrange(now, performance.now());
    if (next.join() !== happening.peek().join()) happening.value = next;
  };
  const stop = effect(arrange);
  // Cameras leave when they were quiet for long enough.
  const timer = setInterval(arrange, STAYS_MS / 10);
  return () => {
    clearInterval(timer);
    stop();
    forget();
  };
}
