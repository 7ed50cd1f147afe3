import { type Guid, newGuid } from "../../base/index.js";
import {
  cameraArchive,
  cameraConnection,
  cameraStream,
  camera as contract,
  defaultsOf,
  firstOf,
  part,
} from "../../contract/index.js";
import { type Camera, NEW_CAMERA_OPTIONS, type StreamSettings } from "../../site/index.js";
import { RTSP_MODEL } from "./models.js";

/** A disabled stream. */
export const NO_STREAM: StreamSettings = { ...defaultsOf(cameraStream), enabled: false };

/**
 * What a new camera is where nobody says otherwise: an RTSP device without an address, recorded always, with the sound that it
 * sends, and watched for motion.
 */
export function blankCamera(ownerServerId: Guid): Camera {
  return {
    id: newGuid(),
    name: "",
    ...defaultsOf(part(contract, "Description", "Disabled")),
    ownerServerId,
    connection: {
      ...defaultsOf(firstOf(cameraConnection)),
      modelId: RTSP_MODEL.id,
      streams: {
        Main: { ...NO_STREAM, enabled: true },
        Alternative: NO_STREAM,
        SecondAlternative: NO_STREAM,
        ThirdAlternative: NO_STREAM,
      },
    },
    archive: defaultsOf(firstOf(cameraArchive)),
    latitude: null,
    longitude: null,
    onMap: false,
    kept: NEW_CAMERA_OPTIONS,
  };
}
