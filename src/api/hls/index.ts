/**
 * api/hls: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */

export { HLS_DESCRIPTION, HLS_FILE_DESCRIPTION, HLS_PLAYLIST_DESCRIPTION } from "./describe-hls.js";
export { getHls } from "./get-hls.js";
export { getHlsFile, getHlsPlaylist } from "./get-hls-file.js";
export { HlsSessions, loggedPath } from "./hls-sessions.js";
export type { HlsNeeds } from "./needs.js";
