import { PRESENCE_KINDS, SEEN_KINDS, type SeenKind } from "../../base/index.js";
import { cameraOptions } from "./camera-settings.js";
import type { Camera } from "./model.js";
import { takesOwnMotion } from "./motion-choice.js";

/** Which kinds of what a camera reports become events, and which ones the channel is recorded on. */

/** Whether what the camera reports of this kind becomes an event. */
export function isMarked(camera: Camera, kind: SeenKind): boolean {
  return (cameraOptions(camera).analyze.cameraEvents?.marked ?? SEEN_KINDS).includes(kind);
}

/**
 * Whether it counts as motion of the channel, beside the camera's motion itself, which `BuildInCameraDetectorEnabled` takes.
 * Unless the owner chose: where motion is left to the camera, all that reports somebody or something.
 */
export function isRecordedOn(camera: Camera, kind: SeenKind): boolean {
  const chosen = cameraOptions(camera).analyze.cameraEvents?.recorded ?? undefined;
  if (chosen !== undefined) return chosen.includes(kind);
  return takesOwnMotion(camera) && PRESENCE_KINDS.includes(kind);
}
