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

/** visual_object_sequence and visual_object (ISO/IEC 14496-2, 6.2.2). */
const MPEG4 = Buffer.from("000001b001000001b509", "hex");
/** RFC 2435, 3.1: at 0, of type 1, with two tables. */
const JPEG = Buffer.concat([Buffer.from("0000000001ff2818" + "00000080", "hex"), Buffer.alloc(130, 7)]);
const JPEG_RESTARTS = Buffer.concat([
  Buffer.from("0000000041ff2818" + "0004ffff" + "00000080", "hex"),
  Buffer.alloc(130, 7),
]);

function behindCode(unit: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 1]), unit]);
}

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
  ["an SPS of H.264 under the name of JPEG", Codec.MJPEG, H264_SPS, Codec.H264],
  ["a VPS under the name of MPEG-4", Codec.MPEG4, H265_VPS, Codec.H265],
  ["an SPS behind a start code under the name of MPEG-4", Codec.MPEG4, behindCode(H264_SPS), Codec.H264],
  ["a sequence of MPEG-4", Codec.H264, MPEG4, Codec.MPEG4],
  ["a sequence of MPEG-4 under the name of JPEG", Codec.MJPEG, MPEG4, Codec.MPEG4],
  ["tables of JPEG", Codec.H264, JPEG, Codec.MJPEG],
  ["tables of JPEG under the name of H.265", Codec.H265, JPEG, Codec.MJPEG],
  ["tables of JPEG with restart intervals", Codec.MPEG4, JPEG_RESTARTS, Codec.MJPEG],
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
  expect(sent(Codec.MPEG4, MPEG4)).toBeUndefined();
  for (const jpeg of [JPEG, JPEG_RESTARTS]) expect(sent(Codec.MJPEG, jpeg)).toBeUndefined();
});

it("packets of JPEG and of MPEG-4 show no other codec, whatever is in them", () => {
  const bytes = fc.uint8Array({ minLength: 201, maxLength: 400 });
  fc.assert(
    fc.property(bytes, fc.nat(0xffffff), fc.integer({ min: 1, max: 255 }), (scan, offset, quality) => {
      const head = [0, offset >> 16, (offset >> 8) & 0xff, offset & 0xff, 1, quality, 40, 24];
      expect(sent(Codec.MJPEG, Buffer.concat([Buffer.from(head), Buffer.from(scan)]))).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
  const fragment = fc.uint8Array({ minLength: 201, maxLength: 1400 });
  fc.assert(
    fc.property(fragment, (part) => {
      // The first bytes of a fragment may be a start code of its own.
      if (part[0] === 0 && part[1] === 0) return;
      expect(sent(Codec.MPEG4, Buffer.from(part))).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
});

it("takes any bytes", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 80 }),
      fc.constantFrom(Codec.H264, Codec.H265, Codec.MJPEG, Codec.MPEG4),
      (bytes, codec) => {
        sentCodec(codec, Buffer.from(bytes), 0, bytes.length);
      },
    ),
  );
});
