import fc from "fast-check";
import { expect, it } from "vitest";
import { makeH265Vps } from "../../src/live/codec/h265-vps.js";
import { ffmpegFilter } from "../support/media/tone.js";
import { annexB } from "../support/rtsp/rtp-packets.js";
import { type ClipName, zooClip } from "../support/rtsp/zoo/clips.js";
import { nalType } from "../support/rtsp/zoo/codecs.js";

const VPS = 32;
const SPS = 33;
const PICTURES = 25;

/** What ffmpeg decodes of an elementary stream. */
function decoded(stream: Buffer): Promise<Buffer> {
  return ffmpegFilter(["-f", "hevc", "-i", "-", "-f", "rawvideo", "-"], stream);
}

it.each<ClipName>(["h265", "h265Layers", "h265Ten", "h265Slices"])(
  "a stream with a made VPS is decoded as with its own: %s",
  async (name) => {
    const { pictures, sets } = await zooClip(name);
    const sps = sets.find((set) => nalType("h265", set) === SPS);
    const vps = makeH265Vps(sps ?? Buffer.alloc(0));
    if (vps === undefined) throw new Error("no VPS was made");
    const units = pictures.slice(0, PICTURES).flatMap((picture) => picture.units);
    const made = units.map((unit) => (nalType("h265", unit) === VPS ? vps : unit));
    const picturesOfOwn = await decoded(annexB(...units));
    expect(picturesOfOwn.length).toBeGreaterThan(0);
    expect((await decoded(annexB(...made))).equals(picturesOfOwn)).toBe(true);
  },
);

it("makes nothing of what is no SPS, whatever it is", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const vps = makeH265Vps(bytes);
      expect(vps === undefined || vps.length < 200).toBe(true);
    }),
  );
  expect(makeH265Vps(Buffer.from([SPS << 1, 1]))).toBeUndefined();
});
