import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeRequest, headerOf, parseHead } from "../../../src/rtsp/message/rtsp-message.js";

const parse = (text: string) => parseHead(Buffer.from(text, "latin1"));

describe("RTSP messages", () => {
  it("reads an ordinary response", () => {
    const message = parse("RTSP/1.0 200 OK\r\nCSeq: 3\r\nSession: 12;timeout=30\r\n\r\n");
    expect(message).toMatchObject({ kind: "response", status: 200, reason: "OK" });
    expect(message && headerOf(message, "session")).toBe("12;timeout=30");
  });

  it("reads a response without a reason phrase", () => {
    expect(parse("RTSP/1.0 200\r\nCSeq: 3\r\n\r\n")).toMatchObject({ status: 200, reason: "" });
  });

  it("reads a lower-case protocol name", () => {
    expect(parse("rtsp/1.0 404 Not found\r\ncseq: 1\r\n\r\n")).toMatchObject({ status: 404 });
  });

  it("goes on after a header line that holds only a space", () => {
    const message = parse("RTSP/1.0 200 OK\r\nCSeq: 3\r\n \r\nSession: 9\r\n\r\n");
    expect(message && headerOf(message, "session")).toBe("9");
  });

  it("keeps repeated WWW-Authenticate headers apart", () => {
    const message = parse(
      'RTSP/1.0 401 Unauthorized\r\nCSeq: 1\r\nWWW-Authenticate: Digest realm="a, b", nonce="c"\r\nWWW-Authenticate: Basic realm="a, b"\r\n\r\n',
    );
    expect(message?.headers.get("www-authenticate")).toHaveLength(2);
  });

  it("reads headers longer than rtsp-stream takes", () => {
    const message = parse(`RTSP/1.0 200 OK\r\nX-Long: ${"x".repeat(5000)}\r\nCSeq: 8\r\n\r\n`);
    expect(message && headerOf(message, "cseq")).toBe("8");
  });

  it("reads header names that collide with object members", () => {
    const message = parse("RTSP/1.0 200 OK\r\nconstructor: a\r\n__proto__: b\r\nCSeq: 1\r\n\r\n");
    expect(message && headerOf(message, "cseq")).toBe("1");
  });

  it("reads a request of the server", () => {
    expect(parse("OPTIONS rtsp://a/ RTSP/1.0\r\nCSeq: 1\r\n\r\n")).toMatchObject({
      kind: "request",
      method: "OPTIONS",
    });
  });

  it("writes requests as RFC 2326 has them", () => {
    const bytes = encodeRequest({
      method: "OPTIONS",
      uri: "rtsp://a/b",
      headers: { CSeq: "1", "User-Agent": "nvrd" },
    });
    expect(bytes.toString()).toBe("OPTIONS rtsp://a/b RTSP/1.0\r\nCSeq: 1\r\nUser-Agent: nvrd\r\n\r\n");
  });

  it("refuses to send line breaks in URI or header", () => {
    expect(() => encodeRequest({ method: "PLAY", uri: "rtsp://a/\r\nX: y", headers: {} })).toThrow(
      RangeError,
    );
    expect(() =>
      encodeRequest({ method: "PLAY", uri: "rtsp://a/", headers: { Session: "1\nX: y" } }),
    ).toThrow(RangeError);
  });

  it("never throws, whatever the head", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.boolean(), (bytes, asResponse) => {
        parseHead(Buffer.concat([Buffer.from(asResponse ? "RTSP/1.0 200 OK\r\n" : ""), bytes]));
      }),
    );
  });
});
