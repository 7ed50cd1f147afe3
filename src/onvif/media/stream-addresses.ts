import type { OnvifUser } from "../soap/onvif-user.js";
import type { DevicePlace } from "../soap/operation.js";
import { SoapFault } from "../soap/soap-message.js";
import type { Profile } from "./profiles.js";

/** A larger picture is made smaller by the recorder; a smaller one is not made larger. */
const PICTURE_WIDTH_MAX = 4096;

/** A stream of the recorder's RTSP server, without credentials: the client sends its own. Throws SoapFault. */
export function liveAddress(
  place: DevicePlace,
  rtspPort: number,
  asked: { readonly user: OnvifUser; readonly profile: Pick<Profile, "camera" | "streamType"> },
): string {
  const { camera, streamType } = asked.profile;
  const sound = asked.user.mayHear && camera.connection.soundReceivingEnabled ? "&sound=on" : "";
  return `${rtspBase(place, rtspPort)}?channelid=${camera.id}&streamtype=${streamType}${sound}`;
}

/** The start of all of them. Throws SoapFault while there is no RTSP server. */
export function rtspBase({ hostname }: DevicePlace, rtspPort: number): string {
  if (rtspPort === 0)
    throw new SoapFault(
      "Receiver",
      ["Action"],
      "the RTSP server is switched off, or its port is not available",
    );
  return `rtsp://${hostname}:${rtspPort}/rtsp`;
}

export function snapshotAddress({ origin }: DevicePlace, { camera, streamType, video }: Profile): string {
  const width = Math.min(video?.width || PICTURE_WIDTH_MAX, PICTURE_WIDTH_MAX);
  return `${origin}/site?channelid=${camera.id}&streamtype=${streamType}&resolutionx=${width}`;
}
