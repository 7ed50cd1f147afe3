import { type Guid, newGuid } from "../../base/index.js";
import { type Camera, DEFAULT_CAMERA_OPTIONS, type StreamSettings } from "../../site/index.js";
import { RTSP_MODEL } from "./models.js";

/** A disabled stream. */
export const NO_STREAM: StreamSettings = {
  enabled: false,
  format: "H264",
  additionalParams: "",
  rotationMode: "None",
  roles: [],
};

/** What a new camera is where nobody says otherwise: an RTSP device without an address, recorded always, with the sound that it sends. */
export function blankCamera(ownerServerId: Guid): Camera {
  return {
    id: newGuid(),
    name: "",
    description: "",
    disabled: false,
    ownerServerId,
    connection: {
      modelId: RTSP_MODEL.id,
      hostname: "",
      login: "",
      password: "",
      soundReceivingEnabled: true,
      ptzEnabled: false,
      streams: {
        Main: { ...NO_STREAM, enabled: true },
        Alternative: NO_STREAM,
        SecondAlternative: NO_STREAM,
        ThirdAlternative: NO_STREAM,
      },
    },
    archive: {
      archivingDisabled: false,
      archivingMode: "AlwaysOn",
      archivingSoundDisabled: false,
      minDays: 0,
      maxDays: 0,
    },
    latitude: null,
    longitude: null,
    onMap: false,
    kept: DEFAULT_CAMERA_OPTIONS,
  };
}
