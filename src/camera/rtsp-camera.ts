import { newGuid } from "../base/index.js";
import type { Camera, Site, StreamSettings, VideoFormatName } from "../site/index.js";
import { RTSP_MODEL } from "./models.js";

const NO_STREAM: StreamSettings = {
  enabled: false,
  format: "H264",
  additionalParams: "",
  rotationMode: "None",
  roles: [],
};

export interface RtspCameraFields {
  readonly name: string;
  readonly description: string;
  /** Whole rtsp:// URL of the only stream. */
  readonly url: string;
  readonly format: VideoFormatName;
}

/** A camera with one stream at an RTSP address, recorded always, sound included. */
export function rtspCamera(fields: RtspCameraFields, site: Site): Camera {
  return {
    id: newGuid(),
    name: fields.name,
    description: fields.description,
    disabled: false,
    ownerServerId: site.server.id,
    connection: {
      modelId: RTSP_MODEL.id,
      hostname: fields.url,
      login: "",
      password: "",
      soundReceivingEnabled: true,
      ptzEnabled: false,
      streams: {
        Main: {
          ...NO_STREAM,
          enabled: true,
          format: fields.format,
          roles: ["Archive", "VideoAnalysis", "DesktopClient", "MobileClient"],
        },
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
  };
}
