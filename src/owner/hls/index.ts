/**
 * owner/hls: HTTP Live Streaming: GET /hls and the files behind a name.
 *
 * Belongs here: the endpoints, the names that give access.
 * Does not belong here: where segments and parts end (`player/hls`).
 */
import type { Route } from "../../route/index.js";
import { HLS_ROUTE } from "./get-hls.js";
import { HLS_FILE_ROUTE, HLS_PLAYLIST_ROUTE } from "./get-hls-file.js";
import type { HlsNeeds } from "./hls-sessions.js";

export type { HlsNeeds } from "./hls-sessions.js";
export { HlsSessions, isFileOfName, withoutName } from "./hls-sessions.js";

export const HLS_ROUTES: readonly Route<HlsNeeds>[] = [HLS_ROUTE, HLS_PLAYLIST_ROUTE, HLS_FILE_ROUTE];
