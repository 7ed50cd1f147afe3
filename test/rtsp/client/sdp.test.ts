import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/index.js";
import { parseSessionDescription, SDP_BYTES_MAX, SDP_LINES_MAX } from "../../../src/rtsp/client/sdp.js";

const parse = (...lines: string[]) =>
  parseSessionDescription(Buffer.from(lines.join("\r\n")), "rtsp://h/live/");

describe("session descriptions", () => {
  it("are read without origin and session lines", () => {
    const offer = parse("m=video 0 RTP/AVP 96", "a=rtpmap:96 H264/90000", "a=control:track1");
    expect(offer.tracks).toMatchObject([
      {
        kind: "video",
        codec: Codec.H264,
        payloadType: 96,
        clockRate: 90_000,
        control: "rtsp://h/live/track1",
      },
    ]);
  });

  it("are read with control before the other attributes", () => {
    const offer = parse(
      "v=0",
      "a=control:*",
      "m=video 0 RTP/AVP 97",
      "a=control:t1",
      "a=rtpmap:97 H265/90000",
    );
    expect(offer.tracks[0]).toMatchObject({ codec: Codec.H265, control: "rtsp://h/live/t1" });
    expect(offer.aggregateControl).toBe("rtsp://h/live/");
  });

  it("know static payload types without rtpmap", () => {
    const offer = parse("m=video 0 RTP/AVP 26", "m=audio 0 RTP/AVP 0", "m=audio 0 RTP/AVP 8");
    expect(offer.tracks.map((track) => track.codec)).toEqual([Codec.MJPEG, Codec.PCMU, Codec.PCMA]);
  });

  it("take encoding names in any case, blanks after the colon and fmtp names in any case", () => {
    const offer = parse(
      "m=video 0 RTP/AVP 96 ",
      "a=rtpmap: 96 h264/90000 ",
      "a=fmtp:96 Packetization-Mode=1; SPROP-parameter-sets=Zw==,aA== ;",
    );
    expect(offer.tracks[0]?.codec).toBe(Codec.H264);
    expect(offer.tracks[0]?.fmtp.get("sprop-parameter-sets")).toBe("Zw==,aA==");
  });

  it("give AAC its rate and channels", () => {
    const offer = parse(
      "m=audio 0 RTP/AVP 97",
      "a=rtpmap:97 MPEG4-GENERIC/16000/2",
      "a=fmtp:97 mode=AAC-hbr;config=1410",
    );
    expect(offer.tracks[0]).toMatchObject({ codec: Codec.AAC, clockRate: 16_000, channels: 2 });
  });

  it("name what is not supported", () => {
    const offer = parse(
      "m=video 0 RTP/AVP 96",
      "a=rtpmap:96 VP8/90000",
      "m=application 0 RTP/AVP 107",
      "a=rtpmap:107 vnd.onvif.metadata/90000",
    );
    expect(offer.tracks).toHaveLength(0);
    expect(offer.unsupported).toEqual(["video VP8", "application vnd.onvif.metadata"]);
  });

  it("beyond their bounds are refused before they are parsed", () => {
    expect(() => parseSessionDescription(Buffer.alloc(SDP_BYTES_MAX + 1, 0x61), "rtsp://h/")).toThrow(
      NvrdError,
    );
    expect(() => parse(...Array.from({ length: SDP_LINES_MAX + 1 }, () => "a=x"))).toThrow(NvrdError);
    expect(() => parse("v=0")).toThrow(/has no media/);
  });

  it("fail only with NvrdError, whatever the lines", () => {
    const line = fc.tuple(
      fc.constantFrom("m=video ", "m=", "a=rtpmap:", "a=fmtp:", "a=control:", "o=", "c=", "a="),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        try {
          parse(...lines.map((parts) => parts.join("")));
        } catch (error) {
          expect(error).toBeInstanceOf(NvrdError);
        }
      }),
    );
  });
});
