import type { StreamType } from "../base/index.js";
import type { Camera } from "../site/index.js";

/** Where one stream of a camera is found. Compared as a whole: a change reconnects this stream and no other. */
export interface StreamAddress {
  /** rtsp:// or rtsps:// URL without credentials. */
  readonly url: string;
  readonly login: string;
  readonly password: string;
  readonly wantAudio: boolean;
}

/**
 * The address of a camera's stream; undefined when the camera is disabled or has no such stream. For the model
 * "RTSP/RTP device" the hostname is Main's URL and `VideoAdditionalParams` that of each further stream.
 */
export function streamAddress(camera: Camera, streamType: StreamType): StreamAddress | undefined {
  const { connection } = camera;
  const settings = connection.streams[streamType];
  if (camera.disabled || !settings.enabled) return undefined;
  const url = streamType === "Main" ? connection.hostname : settings.additionalParams;
  if (url === "") return undefined;
  return {
    url,
    login: connection.login,
    password: connection.password,
    wantAudio: connection.soundReceivingEnabled,
  };
}

export function sameAddress(one: StreamAddress, other: StreamAddress): boolean {
  return (
    one.url === other.url &&
    one.login === other.login &&
    one.password === other.password &&
    one.wantAudio === other.wantAudio
  );
}
