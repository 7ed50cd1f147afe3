import { expect, it } from "vitest";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { joinedLate } from "../../support/rtsp/joined-late.js";

const codec = new NativeCodec();

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
    const track = await joinedLate(options);
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
