import { nalType } from "./codecs.js";

import type { ZooCamera } from "./zoo-camera.js";

/** The session description of a camera without habits. */
export function baseDescription(camera: ZooCamera): string[] {
  const head = ["v=0", "o=- 1 1 IN IP4 192.0.2.1", "s=camera", "t=0 0", "a=control:*"];
  const { sound } = camera;
  const audio = sound === undefined ? [] : [...sound.sdp, "a=control:track2"];
  return [...head, ...videoDescription(camera), "a=control:track1", ...audio];
}

function videoDescription({ clip }: ZooCamera): string[] {
  if (clip.codec === "mjpeg") return ["m=video 0 RTP/AVP 26"].concat("a=rtpmap:26 JPEG/90000");
  const media = "m=video 0 RTP/AVP 96";
  if (clip.codec === "mpeg4") return [media, "a=rtpmap:96 MP4V-ES/90000", "a=fmtp:96 profile-level-id=1"];
  const text = (type: number): string =>
    clip.sets.find((unit) => nalType(clip.codec, unit) === type)?.toString("base64") ?? "";
  if (clip.codec === "h264") {
    const sprop = `${text(7)},${text(8)}`;
    return [media, "a=rtpmap:96 H264/90000", `a=fmtp:96 packetization-mode=1;sprop-parameter-sets=${sprop}`];
  }
  const sprops = `sprop-vps=${text(32)};sprop-sps=${text(33)};sprop-pps=${text(34)}`;
  return [media, "a=rtpmap:96 H265/90000", `a=fmtp:96 ${sprops}`];
}
