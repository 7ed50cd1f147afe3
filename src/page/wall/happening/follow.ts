import { effect } from "@preact/signals";
import { liveSocket } from "../../player/live-socket.js";
import { EVEN_TILES_MAX } from "../layout/layout.js";
import { watchable } from "../wall-state.js";
import { happening, states } from "./happening.js";
import { HappeningTiles, isHappening, STAYS_MS } from "./happening-tiles.js";

const tiles = new HappeningTiles(EVEN_TILES_MAX);

/** Hears how channels are, for as long as the wall is shown. Returns how to stop. */
export function followHappening(): () => void {
  const forget = liveSocket.followStates({
    onBegin: () => (states.value = new Map()),
    onState: ({ channel, isLost, seen }) => {
      states.value = new Map(states.peek()).set(channel, { isLost, seen });
    },
  });
  const arrange = (): void => {
    const there = new Set(watchable.value?.map(({ Id }) => Id));
    tiles.keepOnly((id) => there.has(id));
    const busy = [...states.value].filter(([id, { seen }]) => there.has(id) && seen.some(isHappening));
    const next = tiles.arrange(
      busy.map(([id]) => id),
      performance.now(),
    );
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
