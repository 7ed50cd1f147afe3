import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NvrdError } from "../../../../src/base/index.js";
import { Codec } from "../../../../src/live/codec/codec.js";
import { parseSessionDescription } from "../../../../src/rtsp/client/sdp/sdp.js";
import { SDP_BYTES_MAX, SDP_LINES_MAX } from "../../../../src/rtsp/client/sdp/sdp-lines.js";

const BASE = { requestUrl: "rtsp://h/live/", contentBase: undefined, contentLocation: undefined };

const parse = (...lines: string[]) => parseSessionDescription(Buffer.from(lines.join("\r\n")), BASE);

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
    expect(offer.aggregateControl).toBe(BASE.requestUrl);
  });

  it.each([
    ["before", ["a=control:*", "a=control:t1"]],
    ["behind", ["a=control:t1", "a=control:*"]],
  ])("leave out the control of the whole %s that of a track", (_place, controls) => {
    const offer = parse("v=0", "a=control:*", "m=video 0 RTP/AVP 97", ...controls, "a=rtpmap:97 H265/90000");
    expect([offer.tracks[0]?.control, offer.aggregateControl]).toEqual(["rtsp://h/live/t1", BASE.requestUrl]);
  });

  it("take a negative port for none", () => {
    const offer = parse(
      "m=video -1353744643 RTP/AVP 96",
      "a=inactive",
      "a=rtpmap:96 H264/90000",
      "m=audio 0 RTP/AVP 8",
    );
    expect(offer.tracks.map(({ codec }) => codec)).toEqual([Codec.PCMA, Codec.H264]);
  });

  it("know static payload types without rtpmap", () => {
    const sounds = [0, 8].flatMap((type) => [`m=audio 0 RTP/AVP ${type}`, `a=control:${type}`]);
    const offer = parse("m=video 0 RTP/AVP 26", ...sounds);
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

  it("have 64 parameters of a format at most, each with a name", () => {
    const fmtp = (text: string) =>
      parse("m=video 0 RTP/AVP 96", "a=rtpmap:96 H264/90000", `a=fmtp:96 ${text}`).tracks[0]?.fmtp;
    expect(fmtp(';; =x; A="b c"; d;A2=1=2')).toEqual(
      new Map([
        ["a", "b c"],
        ["d", ""],
        ["a2", "1=2"],
      ]),
    );
    expect(fmtp("a=1 b=2 c=3")?.get("b")).toBe("2");
    const many = Array.from({ length: 70 }, (_, at) => `p${at}=1`).join(";");
    expect([fmtp(many)?.size, fmtp(many)?.has("p63"), fmtp(many)?.has("p64")]).toEqual([64, true, false]);
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
    expect(() => parseSessionDescription(Buffer.alloc(SDP_BYTES_MAX + 1, 0x61), BASE)).toThrow(NvrdError);
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

describe("what a session description means where its lines are elsewhere than they belong", () => {
  const VIDEO = ["m=video 0 RTP/AVP 96", "a=rtpmap:96 H264/90000"];
  const SETS = "sprop-parameter-sets=Zw==,aA==";
  const CONFIG = "mode=AAC-hbr;sizelength=13;config=1408";
  const setsOf = (...lines: string[]) =>
    parse(...lines)
      .tracks.find(({ kind }) => kind === "video")
      ?.fmtp.get("sprop-parameter-sets");

  it("takes the parameters of the video from wherever they are", () => {
    const audio = ["m=audio 0 RTP/AVP 97", "a=rtpmap:97 MPEG4-GENERIC/8000/1", `a=fmtp:97 ${CONFIG}`];
    expect(setsOf(`a=fmtp:96 ${SETS}`, ...VIDEO)).toBe("Zw==,aA==");
    expect(setsOf(...VIDEO, `a=fmtp:97 ${SETS}`)).toBe("Zw==,aA==");
    expect(setsOf(...VIDEO, ...audio, `a=fmtp:96 ${SETS}`)).toBe("Zw==,aA==");
    expect(setsOf(...VIDEO, ...audio, `a=fmtp:97 ${SETS}`)).toBe("Zw==,aA==");
    expect(
      setsOf(
        ...VIDEO,
        "a=fmtp:96 packetization-mode=1 profile-level-id=42e01e sprop-parameter-sets=Zw==, aA==",
      ),
    ).toBe("Zw==, aA==");
  });

  it("leaves each encoding its own parameters where both have one payload type", () => {
    const offer = parse(
      ...VIDEO,
      "m=audio 0 RTP/AVP 96",
      "a=rtpmap:96 MPEG4-GENERIC/8000/1",
      `a=fmtp:96 ${CONFIG}`,
      `a=fmtp:96 ${SETS}`,
    );
    expect(offer.tracks.map(({ fmtp }) => [...fmtp.keys()])).toEqual([
      ["sprop-parameter-sets"],
      ["mode", "sizelength", "config"],
    ]);
  });

  it("does not lend the parameters of one video to another", () => {
    const other = ["m=video 0 RTP/AVP 98", "a=rtpmap:98 H264/90000", "a=control:98"];
    const offer = parse(...VIDEO, `a=fmtp:96 ${SETS}`, ...other);
    expect(offer.tracks.map(({ fmtp }) => fmtp.size)).toEqual([1, 0]);
  });

  it("takes videos of one control for one, which is sent by any of their types", () => {
    const other = ["m=video 0 RTP/AVP 98 26", "a=rtpmap:98 H265/90000"];
    const [track, ...others] = parse(...VIDEO, ...other, "m=audio 0 RTP/AVP 0").tracks;
    expect(track?.alternatives?.map(({ payloadType }) => payloadType)).toEqual([98, 26]);
    expect([...(track?.foreignTypes ?? [])]).toEqual([0]);
    expect(others.map(({ kind }) => kind)).toEqual(["audio"]);
  });

  it("knows a payload type without a name by its parameters, and a video by being one", () => {
    const codecOf = (...lines: string[]) => parse(...lines).tracks[0]?.codec;
    expect(codecOf("m=video 0 RTP/AVP 96", "a=fmtp:96 sprop-vps=QA==;sprop-sps=Qg==")).toBe(Codec.H265);
    expect(codecOf("m=video 0 RTP/AVP 96", "a=fmtp:96 profile-level-id=1;config=000001B003")).toBe(
      Codec.MPEG4,
    );
    expect(codecOf("m=audio 0 RTP/AVP 97", `a=fmtp:97 ${CONFIG}`, "a=clock:8000")).toBeUndefined();
    expect(codecOf("m=video 0 RTP/AVP 96")).toBe(Codec.H264);
    expect(codecOf("m=video 0 RTP/AVP 96", "m=audio 0 RTP/AVP 97", "a=rtpmap:96 H265/90000")).toBe(
      Codec.H265,
    );
    expect(codecOf("m=video 0 RTP/AVP 96", "a=rtpmap:98 H265/90000")).toBe(Codec.H265);
  });

  it("takes names in the spellings of cameras, and the sound's kind from its name", () => {
    const soundOf = (map: string) => {
      const [track] = parse("m=audio 0 RTP/AVP 97", `a=rtpmap:97 ${map}`).tracks;
      return [track?.codec, track?.clockRate, track?.channels, track?.payload?.kind];
    };
    expect(soundOf("G711A/8000")).toEqual([Codec.PCMA, 8000, 1, undefined]);
    expect(soundOf("G.711U/8000")).toEqual([Codec.PCMU, 8000, 1, undefined]);
    expect(soundOf("pcma/16000/2")).toEqual([Codec.PCMA, 16_000, 2, undefined]);
    expect(soundOf("PCMU/90000")).toEqual([Codec.PCMU, 8000, 1, undefined]);
    expect(soundOf("L16/16000")).toEqual([Codec.L16, 16_000, 1, undefined]);
    expect(soundOf("opus/48000/2")).toEqual([Codec.OPUS, 48_000, 2, undefined]);
    expect(soundOf("OPUS")).toEqual([Codec.OPUS, 48_000, 2, undefined]);
    expect(soundOf("MP4A-LATM/44100/2")).toEqual([Codec.AAC, 44_100, 2, "latm"]);
    expect(soundOf("G726-32/8000")).toEqual([Codec.PCMU, 8000, 1, "g726"]);
    const order = (map: string) => parse("m=audio 0 RTP/AVP 97", `a=rtpmap:97 ${map}`).tracks[0]?.payload;
    expect(order("G726-16/8000")).toMatchObject({ bits: 2, order: "first-low" });
    expect(order("AAL2-G726-40/8000")).toMatchObject({ bits: 5, order: "first-high" });
  });

  it("names static payload types that are not supported", () => {
    const offer = parse(
      "m=video 0 RTP/AVP 96",
      "a=rtpmap:96 H264/90000",
      "m=audio 0 RTP/AVP 4",
      "m=audio 0 RTP/AVP 9",
    );
    expect(offer.unsupported).toEqual(["audio G723", "audio G722"]);
    expect(parse("m=audio 0 RTP/AVP 11").tracks[0]).toMatchObject({
      codec: Codec.L16,
      clockRate: 44_100,
      channels: 1,
    });
  });

  it("puts a microphone before a back channel, and pictures that are sent before those that are not", () => {
    const offer = parse(
      "m=audio 0 RTP/AVP 0",
      "a=sendonly",
      "a=control:back",
      "m=video 0 RTP/AVP 96",
      "a=inactive",
      "a=control:off",
      "m=video 0 RTP/AVP 96",
      "a=control:on",
      "m=audio 0 RTP/AVP 8",
      "a=control:mic",
    );
    expect(offer.tracks.map(({ control }) => control.replace(/.*\//, ""))).toEqual([
      "on",
      "mic",
      "back",
      "off",
    ]);
    expect(offer.backTracks.map(({ codec }) => codec)).toEqual([Codec.PCMU]);
  });

  it("is read with other line ends, marks, NULs, blanks, capitals, a number of ports and an overlong line", () => {
    const plain = [
      "v=0",
      "m=video 0 RTP/AVP 96",
      "a=rtpmap:96 H264/90000",
      `a=fmtp:96 ${SETS}`,
      "a=control:t1",
    ];
    const texts = [
      plain.join("\n"),
      plain.join("\r"),
      `\xef\xbb\xbf${plain.slice(1).join("\r\n")}`,
      `${plain.join("\r\n")}\r\n\0\0`,
      plain.join("\0\r\n"),
      plain.join("\r\n").replace("m=video 0 RTP", "M = Video  49170/2  RTP"),
      plain.join("\r\n").replace("a=rtpmap:96 ", "a=RTPMAP: 96\t").replace("a=control:", "a = Control : "),
      [`i=${"x".repeat(20_000)}`, "s=\xd6\xf7\xc2\xeb\xc1\xf7", ...plain].join("\r\n"),
    ];
    for (const text of texts) {
      const { tracks } = parseSessionDescription(Buffer.from(text, "latin1"), BASE);
      expect(tracks, JSON.stringify(text.slice(0, 80))).toMatchObject([
        { codec: Codec.H264, control: "rtsp://h/live/t1" },
      ]);
      expect(tracks[0]?.fmtp.get("sprop-parameter-sets")).toBe("Zw==,aA==");
    }
  });

  it("takes the size of large JPEG pictures", () => {
    const sizeOf = (line: string) => parse("m=video 0 RTP/AVP 26", line).tracks[0]?.size;
    expect(sizeOf("a=framesize:26 2592-1944")).toEqual({ width: 2592, height: 1944 });
    expect(sizeOf("a=x-dimensions: 3840, 2160")).toEqual({ width: 3840, height: 2160 });
    expect(sizeOf("a=x-dimensions:0,99999")).toBeUndefined();
  });
});
