import { computed, signal } from "@preact/signals";
import type { StateMessage } from "../../../contract/answer/index.js";
import { isHappening } from "./happening-tiles.js";

type ChannelState = Pick<StateMessage, "isLost" | "seen">;

/** Of the channels of which something is to be shown. */
export const states = signal<ReadonlyMap<string, ChannelState>>(new Map());

/** Channels whose camera does not answer, on the wall or not. */
export const lostChannels = computed<ReadonlySet<string>>(
  () => new Set([...states.value].filter(([, { isLost }]) => isLost).map(([id]) => id)),
);

/** What is seen at a channel now; empty: nothing. */
export function seenAt(channel: string): StateMessage["seen"] {
  return (states.value.get(channel)?.seen ?? []).filter(isHappening);
}

/** The cameras of the wall that shows where something happens, in the order of its tiles. */
export const happening = signal<readonly string[]>([]);
