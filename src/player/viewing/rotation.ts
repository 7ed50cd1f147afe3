import type { StreamKey, StreamType } from "../../base/index.js";
import type { Rotation } from "../../picture/index.js";
import { type Camera, ROTATION_DEGREES, type SiteStore } from "../../site/index.js";

/** How the pictures of a stream are turned at present. */
export type RotationOf = (stream: StreamKey) => Rotation;

/** How the pictures of a camera's stream are turned for viewers, wherever they are decoded. */
export function rotationOf(camera: Camera, streamType: StreamType): Rotation {
  return ROTATION_DEGREES[camera.connection.streams[streamType].rotationMode];
}

/** The same by the present configuration; a stream of no camera is not turned. */
export function presentRotations(site: Pick<SiteStore, "current">): RotationOf {
  return ({ channelId, streamType }) => {
    const camera = site.current.cameras.find(({ id }) => id === channelId);
    return camera === undefined ? 0 : rotationOf(camera, streamType);
  };
}
