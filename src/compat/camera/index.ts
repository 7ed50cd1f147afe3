/**
 * compat/camera: cameras as objects of the configuration: /configure/channels.
 *
 * Belongs here: reading and writing a camera's object, its streams, roles, schedule, zones, address.
 * Does not belong here: finding devices (`owner/discovery`), what a channel does now (`channel`).
 */
import type { Route } from "../../route/index.js";
import type { CameraNeeds } from "./camera-parts.js";
import { GET_CHANNEL_ROUTE, GET_CHANNELS_ROUTE, POST_CHANNELS_ROUTE } from "./configure-channels.js";
import { DELETE_CHANNEL_ROUTE } from "./configure-channels-delete.js";
import { PUT_CHANNEL_ROUTE, PUT_CHANNELS_ROUTE } from "./configure-channels-put.js";
import { DEVICE_MANUFACTURERS_ROUTE } from "./configure-devicemanufacturers.js";

export { readChangedCamera } from "./camera-input.js";
export type { CameraNeeds } from "./camera-parts.js";
export { addCameras, hasSecurityObject } from "./camera-tree.js";
export { readDeviceAddress } from "./camera-url.js";

export const CAMERA_ROUTES: readonly Route<CameraNeeds>[] = [
  GET_CHANNELS_ROUTE,
  POST_CHANNELS_ROUTE,
  PUT_CHANNELS_ROUTE,
  GET_CHANNEL_ROUTE,
  PUT_CHANNEL_ROUTE,
  DELETE_CHANNEL_ROUTE,
  DEVICE_MANUFACTURERS_ROUTE,
];
