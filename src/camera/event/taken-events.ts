import { type Camera, storedSettings } from "../../site/index.js";
import type { CameraEventKind } from "./camera-event-signal.js";

/** The members of a camera's settings that let a kind of its events in. */
export type EventSetting = "BuildInCameraDetectorEnabled" | "IoProcessingEnabled";

/** Motion is taken where the channel is set to the camera's own detector. */
export function takesMotion(camera: Camera): boolean {
  return storedSettings(camera).analyze.motionDetector?.cameraDetectorEnabled === true;
}

/** Digital inputs are taken where their processing is on. */
export function takesInput(camera: Camera): boolean {
  return storedSettings(camera).connection.ioProcessingEnabled;
}

/** The setting that keeps events of this kind out; undefined: they are taken. */
export function missingSetting(camera: Camera, kind: CameraEventKind): EventSetting | undefined {
  if (kind === "motion" && !takesMotion(camera)) return "BuildInCameraDetectorEnabled";
  return kind === "input" && !takesInput(camera) ? "IoProcessingEnabled" : undefined;
}
