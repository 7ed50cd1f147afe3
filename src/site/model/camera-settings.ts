import type { Camera } from "./model.js";
import { DEFAULT_STORED_SETTINGS, type StoredSettings } from "./stored-settings.js";

/** All stored settings of a camera, with defaults. */
export function storedSettings(camera: Camera): Required<StoredSettings> {
  const kept = camera.kept ?? DEFAULT_STORED_SETTINGS;
  const connection = { ...DEFAULT_STORED_SETTINGS.connection, ...kept.connection };
  return { ...kept, connection, servers: kept.servers ?? DEFAULT_STORED_SETTINGS.servers };
}

/** Whether a camera's position is to be shown. */
export function isOnMap(camera: Camera): boolean {
  return camera.onMap ?? camera.latitude !== null;
}
