import { STREAM_TYPES, type StreamType } from "../../base/index.js";
import type { Camera, StreamRole } from "./model.js";

/** The stream that is archived: the enabled one whose roles contain Archive, else Main. */
export function archiveStreamType(camera: Camera): StreamType {
  return enabledHolder(camera, "Archive") ?? "Main";
}

/** The stream that motion is looked for in: the enabled one whose roles contain VideoAnalysis, else Main. */
export function analyseStreamType(camera: Camera): StreamType {
  return enabledHolder(camera, "VideoAnalysis") ?? "Main";
}

/** Who is shown a camera without naming a stream. */
export type ViewerKind = "DesktopClient" | "MobileClient";

/**
 * The stream for a viewer who names none: the enabled one with its role; without one, Main for the desktop, and for mobile
 * clients the last enabled stream, as the smallest.
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
