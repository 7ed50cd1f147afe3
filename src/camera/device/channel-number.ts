import { type Camera, cameraOptions } from "../../site/index.js";
import { deviceModel } from "./models.js";

/** The channel number of a camera at its device, from 1; 1 where the model has one channel, whatever is stored. */
export function channelNumberOf(camera: Camera): number {
  const kept = cameraOptions(camera).connection;
  const mayBeChannel = deviceModel(camera.connection.modelId)?.multiChannelServerSupported === true;
  return mayBeChannel && kept.multiChannelServerEnabled === true
    ? Math.max(1, kept.multiChannelServerChannelNumber)
    : 1;
}
