/**
 * api/rtsp: what the RTSP outlet serves: with the rights of /video.
 *
 * Belongs here: finding what an RTSP URL names, live and recorded sources for the RTSP server.
 * Does not belong here: the protocol (`rtsp/server`).
 */
export type { RtspNeeds } from "./needs.js";
export { RtspMounts, withoutSecrets } from "./rtsp-mounts.js";
