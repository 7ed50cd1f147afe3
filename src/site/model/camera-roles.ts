import { STREAM_TYPES, type StreamType } from "../../base/index.js";
import type { Camera, StreamRole } from "./model.js";

/** The stream that is archived: the enabled one whose roles contain Archive, otherwise Main. */
export function archiveStreamType(camera: Camera): StreamType {
  return enabledHolder(camera, "Archive") ?? "Main";
}

/** The stream for motion detection: the enabled one whose roles contain VideoAnalysis, otherwise Main. */
export function analyseStreamType(camera: Camera): StreamType {
  return enabledHolder(camera, "VideoAnalysis") ?? "Main";
}

function enabledHolder(camera: Camera, role: StreamRole): StreamType | undefined {
  const { streams } = camera.connection;
  return STREAM_TYPES.find((type) => streams[type].enabled && streams[type].roles.includes(role));
}
