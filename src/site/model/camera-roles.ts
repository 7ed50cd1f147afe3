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

/** The kind of viewer, used if a request names no stream. */
export type ViewerKind = "DesktopClient" | "MobileClient";

/**
 * The stream for a viewer who names none: the enabled one with the viewer's role. Without one, Main for desktop clients, and
 * for mobile clients the last enabled stream, which is the smallest.
 */
export function shownStreamType(camera: Camera, viewer: ViewerKind): StreamType {
  const { streams } = camera.connection;
  const last = viewer === "MobileClient" ? STREAM_TYPES.findLast((type) => streams[type].enabled) : undefined;
  return enabledHolder(camera, viewer) ?? last ?? "Main";
}

function enabledHolder(camera: Camera, role: StreamRole): StreamType | undefined {
  const { streams } = camera.connection;
  return STREAM_TYPES.find((type) => streams[type].enabled && streams[type].roles.includes(role));
}
