import type { Camera, Site, VideoFormatName } from "../../site/index.js";
import { blankCamera, NO_STREAM } from "./blank-camera.js";

export interface RtspCameraFields {
  readonly name: string;
  readonly description: string;
  /** Complete rtsp:// URL of the only stream. */
  readonly url: string;
  readonly format: VideoFormatName;
}

/** A camera with one stream at an RTSP address, always recorded, with audio. */
export function rtspCamera(fields: RtspCameraFields, site: Site): Camera {
  const { name, description, url, format } = fields;
  const blank = blankCamera(site.server.id);
  const main = { ...NO_STREAM, enabled: true, format };
  return {
    ...blank,
    name,
    description,
    connection: {
      ...blank.connection,
      hostname: url,
      streams: {
        ...blank.connection.streams,
        Main: { ...main, roles: ["Archive", "VideoAnalysis", "DesktopClient", "MobileClient"] },
      },
    },
  };
}
