import { SystemClock } from "../../../src/base/index.js";
import { type CameraFailure, type DeviceAccess, inspectDevice } from "../../../src/camera/index.js";
import { OnvifCamera, type OnvifCameraOptions } from "./onvif-camera.js";

/** Starts scripted cameras for one test file, and ends them all. */
export class OnvifCameras {
  readonly #cameras: OnvifCamera[] = [];

  async start(options: OnvifCameraOptions = {}): Promise<OnvifCamera> {
    const camera = await OnvifCamera.start(options);
    this.#cameras.push(camera);
    return camera;
  }

  async stop(): Promise<void> {
    for (const camera of this.#cameras.splice(0)) await camera.stop();
  }
}

/** How a scripted camera is reached with its right login. */
export function accessTo(camera: OnvifCamera, more: Partial<DeviceAccess> = {}): DeviceAccess {
  return { address: camera.address, login: "admin", password: "Secret#1", clock: new SystemClock(), ...more };
}

/** The failure of an inspection; fails the test when there is none. */
export async function failureOf(access: DeviceAccess): Promise<CameraFailure> {
  const description = await inspectDevice(access).catch((error: CameraFailure) => error);
  if (!(description instanceof Error)) throw new Error("the device was described, against what was expected");
  return description;
}
