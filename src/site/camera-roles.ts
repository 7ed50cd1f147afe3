import { STREAM_TYPES, type StreamType } from "../base/index.js";
import type { Camera } from "./model.js";

/** The stream that is archived: the enabled one whose roles contain Archive, else Main. */
export function archiveStreamType(camera: Camera): StreamType {
  const { streams } = camera.connection;
  return (
    STREAM_TYPES.find((type) => streams[type].enabled && streams[type].roles.includes("Archive")) ?? "Main"
  );
}
