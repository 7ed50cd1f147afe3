import { expect, it } from "vitest";
import { Codec, type VideoFormat } from "../../../src/live/index.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { captureRtp } from "../../support/media/ffmpeg-rtp.js";
import { TrackHarness } from "../../support/rtsp/track-harness.js";

const PICTURES = ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=10:d=8", "-pix_fmt", "yuv420p"];
const FRAME_US = 100_000;

const codec = new NativeCodec();

/** What a track makes of an encode whose first picture, the only key frame, was before PLAY. */
async function joined(options: {
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
      track.clock.advance(FRAME_US);
      track.receiver.onTick(options.pace * track.clock.monotonicUs());
    }
    timestamp = packet.readUInt32BE(4);
    track.packet(packet);
  }
  return track.flush();
}

it.each([
  {
    name: "H.264 with intra refresh",
    codec: Codec.H264,
    encode: ["-c:v", "libx264", "-x264-params", "intra-refresh=1:keyint=20:bframes=0:slices=1"],
    copyFormat: "h264",
    pace: 1,
    frames: 40,
  },
  {
    name: "H.265 with intra refresh",
    codec: Codec.H265,
    encode: ["-c:v", "libx265", "-x265-params", "intra-refresh=1:keyint=20:bframes=0:log-level=error"],
    copyFormat: "hevc",
    // libx265 puts no recovery point there: any picture is taken in the end.
    pace: 10,
    frames: 15,
  },
])(
  "$name, joined behind its only key frame, is recorded from places where decoding can begin",
  async (options) => {
    const track = await joined(options);
    const keys = track.frames.flatMap(({ key }, index) => (key ? [index] : []));
    expect(keys.length).toBeGreaterThanOrEqual(1);
    expect(track.frames.length).toBeGreaterThanOrEqual(options.frames);
    const from = keys.at(-1) ?? 0;
    const units = track.frames
      .slice(from, from + 15)
      .map(({ bytes, key, decodeTimeUs, presentationOffsetUs }) => ({
        key,
        decodeTimeUs,
        presentationOffsetUs,
        bytes: [bytes],
      }));
    const format = track.frames[from]?.format as VideoFormat;
    const targets = [{ form: "gray", width: 320, height: 240 }] as const;
    const [picture] = await codec.decodeStill({ format, units, targets });
    expect(picture?.width).toBe(320);
    const [first] = await codec.decodeStill({ format, units: units.slice(0, 1), targets });
    expect(first?.height).toBe(240);
    track.close();
  },
);
