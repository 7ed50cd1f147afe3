import type { SeenKind } from "../../base/index.js";
import { type Camera, cameraOptions, isMarked, isRecordedOn, takesOwnMotion } from "../../site/index.js";

/** The members of a camera's settings that let a kind of its events in. */
export type EventSetting = "BuildInCameraDetectorEnabled" | "IoProcessingEnabled" | "CameraEventSettings";

/** The setting that keeps events of this kind out; undefined: they are taken. */
export function missingSetting(camera: Camera, kind: SeenKind): EventSetting | undefined {
  const { connection } = cameraOptions(camera);
  // Motion is taken where the channel is set to the camera's own detector, or nobody chose another.
  if (kind === "motion") return takesOwnMotion(camera) ? undefined : "BuildInCameraDetectorEnabled";
  if (kind === "input" && !connection.ioProcessingEnabled) return "IoProcessingEnabled";
  return isMarked(camera, kind) || isRecordedOn(camera, kind) ? undefined : "CameraEventSettings";
}

export function isTaken(camera: Camera, kind: SeenKind): boolean {
  return missingSetting(camera, kind) === undefined;
}
