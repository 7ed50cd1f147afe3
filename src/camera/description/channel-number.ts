import { type Camera, storedSettings } from "../../site/index.js";

/** The channel number of a camera at its device, from 1. */
export function channelNumberOf(camera: Camera): number {
  const kept = storedSettings(camera).connection;
  return kept.multiChannelServerEnabled === true ? Math.max(1, kept.multiChannelServerChannelNumber) : 1;
}
