import fc from "fast-check";
import { expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { sentCodec } from "../../../src/rtsp/depacketize/sent-codec.js";
import {
  H264_PPS,
  H264_SPS,
  H265_PPS,
  H265_SPS,
  H265_VPS,
  h265Slice,
  idr,
  slice,
} from "../../support/media/sample-nal-units.js";
import { annexB, fuA, h265Fu, rtpPacket, stapA } from "../../support/rtsp/rtp-packets.js";
import { aggregate265 } from "../../support/rtsp/zoo/cutting.js";

const H265_SETS = [H265_VPS, H265_SPS, H265_PPS];

function sent(announced: Codec, payload: Buffer): Codec | undefined {
  const packet = rtpPacket({ csrc: 2, extension: Buffer.alloc(8) }, payload);
  return sentCodec(announced, packet, 0, packet.length);
}

it.each([
  ["an SPS of H.264", Codec.H265, H264_SPS, Codec.H264],
  ["one in fragments", Codec.H265, fuA(H264_SPS, 20)[0] ?? expect.unreachable(), Codec.H264],
  ["one behind a start code", Codec.H265, annexB(H264_SPS, H264_PPS), Codec.H264],
  ["a VPS in fragments", Codec.H264, h265Fu(H265_VPS, 12)[0] ?? expect.unreachable(), Codec.H265],
  ["an aggregate that begins with one", Codec.H265, stapA(H264_SPS, H264_PPS), Codec.H264],
  ["a VPS of H.265", Codec.H264, H265_VPS, Codec.H265],
  ["an SPS of H.265", Codec.H264, H265_SPS, Codec.H265],
  ["an aggregate that begins with a VPS", Codec.H264, aggregate265(H265_SETS), Codec.H265],
])("%s shows the codec that is sent", (_name, announced, payload, expected) => {
  expect(sent(announced, payload)).toBe(expected);
});

it("units of the codec that is announced show no other one", () => {
  const units = {
    h264: [H264_SPS, H264_PPS, idr(90), slice(90)],
    h265: [...H265_SETS, h265Slice(1), h265Slice(19)],
  };
  for (const unit of [...units.h264, stapA(H264_SPS, H264_PPS)])
    expect(sent(Codec.H264, unit)).toBeUndefined();
  for (const unit of [...units.h265, aggregate265(H265_SETS)]) expect(sent(Codec.H265, unit)).toBeUndefined();
  expect(sent(Codec.MJPEG, H264_SPS)).toBeUndefined();
});

it("takes any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.constantFrom(Codec.H264, Codec.H265), (bytes, codec) => {
      sentCodec(codec, Buffer.from(bytes), 0, bytes.length);
    }),
  );
});
