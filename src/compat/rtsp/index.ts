/**
 * compat/rtsp: the sources of the RTSP server, with the rights of /video.
 *
 * Belongs here: resolving RTSP URLs, live and recorded sources for the RTSP server.
 * Does not belong here: the protocol (`rtsp/server`).
 */

export { RtspMounts, withoutSecrets } from "./rtsp-mounts.js";
export type { RtspNeeds } from "./rtsp-viewing.js";
