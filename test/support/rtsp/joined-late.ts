import type { Codec } from "../../../src/live/codec/codec.js";
import { captureRtp } from "../media/ffmpeg-rtp.js";
import { TrackHarness } from "./track-harness.js";

const PICTURES = ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=10:d=8", "-pix_fmt", "yuv420p"];
/** Of a picture. */
export const JOINED_FRAME_US = 100_000;

/** What a track makes of an encode whose first picture, the only key frame, was before PLAY. */
export async function joinedLate(options: {
  codec: Codec;
  encode: readonly string[];
  copyFormat: string;
  /** How many times faster than the camera the recorder's waiting goes. */
  pace: number;
}): Promise<TrackHarness> {
  const { packets, fmtp, payloadType } = await captureRtp({
    encode: [...PICTURES, ...options.encode],
    copyFormat: options.copyFormat,
  });
  const track = new TrackHarness({ codec: options.codec, fmtp, payloadType });
  const first = packets[0]?.readUInt32BE(4);
  let timestamp = first;
  for (const packet of packets) {
    if (packet.readUInt32BE(4) === first) continue;
    if (packet.readUInt32BE(4) !== timestamp) {
      track.clock.advance(JOINED_FRAME_US);
      track.receiver.onTick(options.pace * track.clock.monotonicUs());
    }
    timestamp = packet.readUInt32BE(4);
    track.packet(packet);
  }
  return track.flush();
}
