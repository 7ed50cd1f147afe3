import { hasRight, type Principal } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { transcodingParameters } from "../../contract/query/index.js";
import type { Query } from "../../http/index.js";
import type { SoundForm, TranscodeSpec } from "../../picture/index.js";
import { type AskedLevel, chooseLevel, rotationOf } from "../../player/index.js";
import { readQuery, readVideoRequest, type VideoRequest } from "../../route/index.js";
import type { Camera, Site } from "../../site/index.js";

export interface MobileRequest extends VideoRequest {
  readonly asked: AskedLevel;
  /** Undefined: without sound. */
  readonly soundForm: SoundForm | undefined;
  readonly oneFrameOnly: boolean;
  readonly withContentType: boolean;
}

/** Reads the parameters of GET /mobile. Throws NvrdError BAD_REQUEST or BAD_TIME. */
export function readMobileRequest(query: Query, camera: Camera): MobileRequest {
  const video = readVideoRequest(query, camera);
  const { soundformat, fps, resolutionx, resolutiony, oneframeonly, withcontenttype } = readQuery(
    query,
    transcodingParameters,
  );
  return {
    ...video,
    asked: { width: resolutionx, height: resolutiony, framesPerSecond: fps },
    soundForm: video.sound ? soundformat : undefined,
    oneFrameOnly: oneframeonly,
    withContentType: withcontenttype,
  };
}

/** The part of the request that the user is not allowed; undefined if everything is allowed. */
export function refusedMobileRight(principal: Principal, request: VideoRequest): string | undefined {
  const { channelId } = request.key;
  if (!hasRight(principal, "CanGetTranscodedVideoFromMobileServer"))
    return "you may not get transcoded video (right CanGetTranscodedVideoFromMobileServer) of";
  if (request.playback === undefined && !principal.mayWatchRealtime(channelId))
    return "you may not watch live";
  if (request.playback !== undefined && !principal.mayWatchArchive(channelId))
    return "you may not watch the archive of";
  if (request.sound && !hasRight(principal, "CanReceiveSound"))
    return "you may not receive sound (right CanReceiveSound) of";
  return undefined;
}

/**
 * The transcode settings for the request: the closest level's size and rate, the stream's rotation. A single
 * frame is a JPEG at any level, and has no rate. Throws NvrdError FORBIDDEN when the mobile server or all its levels are switched off.
 */
export function mobileSpec(site: Site, camera: Camera, request: MobileRequest): TranscodeSpec {
  if (!site.mobile.isEnabled) {
    throw new NvrdError("FORBIDDEN", "the mobile server is switched off", {
      hint: "an administrator switches it on: IsEnabled of PUT /configure/mobile; GET /video works without it",
    });
  }
  const level = chooseLevel(site.mobile, request.asked);
  if (level === undefined) {
    throw new NvrdError("FORBIDDEN", "no quality level of the mobile server is switched on", {
      hint: "an administrator switches one on: Resolutions of PUT /configure/mobile",
    });
  }
  const { width, height } = level;
  const form = level.usePFrames && !request.oneFrameOnly ? "h264" : "jpeg";
  const framesPerSecond = request.oneFrameOnly ? level.framesPerSecondMax : level.framesPerSecond;
  const rotation = rotationOf(camera, request.key.streamType);
  return { width, height, framesPerSecond, form, rotation };
}
