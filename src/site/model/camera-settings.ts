import { type CameraOptions, DEFAULT_CAMERA_OPTIONS } from "./camera-options.js";
import type { Camera, Site } from "./model.js";

/** All options of a camera, with defaults. */
export function cameraOptions(camera: Camera): Required<CameraOptions> {
  const kept = camera.kept ?? DEFAULT_CAMERA_OPTIONS;
  const connection = { ...DEFAULT_CAMERA_OPTIONS.connection, ...kept.connection };
  return { ...kept, connection, servers: kept.servers ?? DEFAULT_CAMERA_OPTIONS.servers };
}

/** Whether a camera's position is to be shown. */
export function isOnMap(camera: Camera): boolean {
  return camera.onMap ?? camera.latitude !== null;
}

/** The cameras of this server: not those that it stands in for. */
export function ownCameras(site: Site): readonly Camera[] {
  return site.cameras.filter(({ ownerServerId }) => ownerServerId === site.server.id);
}
