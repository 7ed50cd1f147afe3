/**
 * owner/live: the live socket, GET /api/live: channels live and recorded over one WebSocket.
 *
 * Belongs here: reading a client's messages, its subscriptions, which stream fits a tile, slow clients, what a playback must be.
 * Does not belong here: WebSockets (`http`), init segments and fragments (`player/feed`), reading recordings (`archive`).
 */
import type { Route } from "../../route/index.js";
import { LIVE_ROUTE } from "./get-live.js";
import type { LiveNeeds } from "./live-client.js";

export { ChannelStates } from "./channel-states.js";
export { readClientMessage } from "./client-message.js";
export { LIVE_PROTOCOL, type LiveListener, openLive } from "./get-live.js";
export type { LiveNeeds } from "./live-client.js";
export { type LiveClient, WATCHES_MAX } from "./live-client.js";
export { LiveSockets } from "./live-sockets.js";

export const LIVE_ROUTES: readonly Route<LiveNeeds>[] = [LIVE_ROUTE];
export { SeenBoxes } from "./seen-boxes.js";
