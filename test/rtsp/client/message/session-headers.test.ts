import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  keepAliveMethods,
  parseMethods,
  parseRtpInfo,
  parseSessionHeader,
  parseSsrc,
  parseTransportHeader,
} from "../../../../src/rtsp/client/session-headers.js";

describe("session headers", () => {
  it("give a session's id and lifetime, with blanks and without a lifetime", () => {
    expect(parseSessionHeader("4711;timeout=30")).toEqual({ id: "4711", timeoutS: 30 });
    expect(parseSessionHeader(" AB-1 ; timeout = 90 ; x")).toEqual({ id: "AB-1", timeoutS: 90 });
    expect(parseSessionHeader("4711")).toEqual({ id: "4711", timeoutS: 60 });
    expect(parseSessionHeader("4711;timeout=0")?.timeoutS).toBe(60);
    expect(parseSessionHeader("4711;timeout=999999999")?.timeoutS).toBe(3600);
    expect(parseSessionHeader(";timeout=1")).toBeUndefined();
  });

  it("give channels, ports and source of a transport", () => {
    expect(parseTransportHeader("RTP/AVP/TCP;unicast;interleaved=2-3;ssrc=DEADBEEF")).toMatchObject({
      isTcp: true,
      interleaved: [2, 3],
      ssrc: 0xdeadbeef,
    });
    expect(
      parseTransportHeader("RTP/AVP/UDP;unicast;source=10.0.0.2;client_port=1-2;server_port=6970-6971"),
    ).toMatchObject({
      isTcp: false,
      serverPort: [6970, 6971],
      source: "10.0.0.2",
    });
    expect(parseTransportHeader("RTP/AVP;unicast;interleaved=0").interleaved).toEqual([0, 1]);
    expect(parseTransportHeader("RTP/AVP/TCP;interleaved=300-301").interleaved).toBeUndefined();
  });

  it("give an SSRC padded with blanks, short, or with 0x", () => {
    expect(parseTransportHeader("RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=  8BE1F4C").ssrc).toBe(0x8be1f4c);
    expect(parseSsrc(" 1a ")).toBe(0x1a);
    expect(parseSsrc("0x12345678")).toBe(0x12345678);
    expect(parseSsrc("")).toBeUndefined();
    expect(parseSsrc("123456789")).toBeUndefined();
  });

  it("give RTP-Info with a trailing separator, several streams, and commas in the URL", () => {
    expect(parseRtpInfo("url=rtsp://h/t1;seq=5;rtptime=90000;")).toEqual([
      { url: "rtsp://h/t1", sequence: 5, rtpTimestamp: 90_000, ssrc: undefined },
    ]);
    const two = parseRtpInfo("url=rtsp://h/a,b;seq=1 , url=rtsp://h/t2;rtptime=7;ssrc= 0a;");
    expect(two).toMatchObject([
      { url: "rtsp://h/a,b", sequence: 1, rtpTimestamp: undefined },
      { url: "rtsp://h/t2", rtpTimestamp: 7, ssrc: 10 },
    ]);
    expect(parseRtpInfo("url=t;seq=99999999;rtptime=-1")).toMatchObject([
      { sequence: undefined, rtpTimestamp: undefined },
    ]);
  });

  it("choose the least intrusive keep-alive that a server offers", () => {
    const choose = (text: string) => keepAliveMethods(parseMethods([text]))[0];
    expect(choose("OPTIONS, GET_PARAMETER, SET_PARAMETER")).toBe("GET_PARAMETER");
    expect(choose("OPTIONS, SET_PARAMETER")).toBe("OPTIONS");
    expect(choose("DESCRIBE, SETUP, SET_PARAMETER")).toBe("SET_PARAMETER");
    expect(choose("")).toBe("OPTIONS");
  });

  it("never fail, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000 }), (text) => {
        parseSessionHeader(text);
        parseTransportHeader(text);
        parseRtpInfo(text);
        parseRtpInfo(`url=${text}`);
        parseMethods([text]);
      }),
    );
    parseRtpInfo(`url=${";".repeat(60_000)}`);
  });
});
