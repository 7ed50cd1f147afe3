/**
 * api/rtsp: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */
export { RtspMounts, withoutSecrets } from "./rtsp-mounts.js";
