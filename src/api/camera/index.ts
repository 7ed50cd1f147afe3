/**
 * api/camera: cameras as objects of the configuration: /configure/channels.
 *
 * Belongs here: reading and writing a camera's object, its streams, roles, schedule, zones, address.
 * Does not belong here: finding devices (`discovery`), what a channel does now (`channel`).
 */
export { ARCHIVING_MODES } from "./camera-input.js";
export { VIDEO_FORMATS } from "./camera-streams-input.js";
export { addCameras, hasSecurityObject } from "./camera-tree.js";
export { readDeviceAddress } from "./camera-url.js";
export { getChannel, getChannels, postChannels } from "./configure-channels.js";
export { deleteChannel } from "./configure-channels-delete.js";
export { putChannel, putChannels } from "./configure-channels-put.js";
export { getDeviceManufacturers } from "./configure-devicemanufacturers.js";
export {
  DELETE_CHANNEL,
  GET_CHANNEL,
  GET_CHANNELS,
  MANUFACTURERS_DESCRIPTION,
  POST_CHANNELS,
  PUT_CHANNEL,
  PUT_CHANNELS,
} from "./describe-channels.js";
export type { CameraNeeds } from "./needs.js";
