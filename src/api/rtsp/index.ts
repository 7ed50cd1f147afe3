/**
 * api/rtsp: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */

export type { RtspNeeds } from "./needs.js";
export { RtspMounts, withoutSecrets } from "./rtsp-mounts.js";
