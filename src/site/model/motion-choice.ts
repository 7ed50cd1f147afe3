import { cameraOptions } from "./camera-settings.js";
import type { Camera } from "./model.js";

/** Who detects motion of a camera. `automatic`: the recorder, until the camera itself reports motion. */
type MotionChoice = "none" | "recorder" | "camera" | "automatic";

/** As its settings say. Without `MotionDetectorSettings` nobody chose between the camera and the recorder. */
export function motionChoice(camera: Camera): MotionChoice {
  const { motionDetectorEnabled, motionDetector } = cameraOptions(camera).analyze;
  if (motionDetector?.cameraDetectorEnabled === true) return "camera";
  if (!motionDetectorEnabled) return "none";
  return motionDetector === null ? "automatic" : "recorder";
}

/** Whether motion that the camera itself reports counts. */
export function takesOwnMotion(camera: Camera): boolean {
  const choice = motionChoice(camera);
  return choice === "camera" || choice === "automatic";
}
