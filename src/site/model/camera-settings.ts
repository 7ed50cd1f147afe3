import { DEFAULT_KEPT_SETTINGS, type KeptSettings } from "./kept-settings.js";
import type { Camera } from "./model.js";

/** What is kept of a camera, whole. */
export function keptSettings(camera: Camera): Required<KeptSettings> {
  const kept = camera.kept ?? DEFAULT_KEPT_SETTINGS;
  const connection = { ...DEFAULT_KEPT_SETTINGS.connection, ...kept.connection };
  return { ...kept, connection, servers: kept.servers ?? DEFAULT_KEPT_SETTINGS.servers };
}

/** Whether a camera's position is to be shown. */
export function isOnMap(camera: Camera): boolean {
  return camera.onMap ?? camera.latitude !== null;
}
