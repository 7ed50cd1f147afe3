/**
 * api/hls: HTTP Live Streaming: GET /hls and the files behind a name.
 *
 * Belongs here: the endpoints, the names that let in.
 * Does not belong here: where segments and parts end (`hls`).
 */
export { HLS_DESCRIPTION, HLS_FILE_DESCRIPTION, HLS_PLAYLIST_DESCRIPTION } from "./describe-hls.js";
export { getHls } from "./get-hls.js";
export { getHlsFile, getHlsPlaylist } from "./get-hls-file.js";
export { HlsSessions, loggedPath } from "./hls-sessions.js";
export type { HlsNeeds } from "./needs.js";
