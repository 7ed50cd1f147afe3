import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headerOf, parseHead } from "../../../../src/rtsp/message/rtsp-message.js";

describe("RTSP messages", () => {
  it("reads an ordinary response", () => {
    const message = parseHead("RTSP/1.0 200 OK\r\nCSeq: 3\r\nSession: 12;timeout=30\r\n\r\n");
    expect(message).toMatchObject({ kind: "response", status: 200, reason: "OK" });
    expect(message && headerOf(message, "session")).toBe("12;timeout=30");
  });

  it("reads a response without a reason phrase", () => {
    expect(parseHead("RTSP/1.0 200\r\nCSeq: 3\r\n\r\n")).toMatchObject({ status: 200, reason: "" });
  });

  it("reads a lower-case protocol name", () => {
    expect(parseHead("rtsp/1.0 404 Not found\r\ncseq: 1\r\n\r\n")).toMatchObject({ status: 404 });
  });

  it.each([
    ["HTTP/1.0 200 OK", "OK"],
    ["RTSP/1.1 200 OK", "OK"],
    ["RTSP/1 200 OK", "OK"],
    ["RTSP/ 1.0 200 OK", "OK"],
    ["RTSP/1.0 200OK", "OK"],
  ])("accepts the status line %j", (line, reason) => {
    expect(parseHead(`${line}\r\nCSeq: 3\r\n\r\n`)).toMatchObject({ kind: "response", status: 200, reason });
  });

  it.each(["HTTP/1.1 200 OK\r\nServer: web\r\n\r\n", "RTSP/1.0 2000 OK\r\nCSeq: 3\r\n\r\n"])(
    "refuses what is no answer to a request: %j",
    (head) => {
      expect(parseHead(head)).toBeUndefined();
    },
  );

  it("continues after a header line with only a space", () => {
    const message = parseHead("RTSP/1.0 200 OK\r\nCSeq: 3\r\n \r\nSession: 9\r\n\r\n");
    expect(message && headerOf(message, "session")).toBe("9");
  });

  it("keeps repeated WWW-Authenticate headers apart", () => {
    const message = parseHead(
      'RTSP/1.0 401 Unauthorized\r\nCSeq: 1\r\nWWW-Authenticate: Digest realm="a, b", nonce="c"\r\nWWW-Authenticate: Basic realm="a, b"\r\n\r\n',
    );
    expect(message?.headers.get("www-authenticate")).toHaveLength(2);
  });

  it("reads headers of several kilobytes", () => {
    const message = parseHead(`RTSP/1.0 200 OK\r\nX-Long: ${"x".repeat(5000)}\r\nCSeq: 8\r\n\r\n`);
    expect(message && headerOf(message, "cseq")).toBe("8");
  });

  it("reads header names that collide with object members", () => {
    const message = parseHead("RTSP/1.0 200 OK\r\nconstructor: a\r\n__proto__: b\r\nCSeq: 1\r\n\r\n");
    expect([...(message?.headers ?? [])]).toEqual([
      ["constructor", ["a"]],
      ["__proto__", ["b"]],
      ["cseq", ["1"]],
    ]);
  });

  it("reads the headers after a stray carriage return", () => {
    const message = parseHead("RTSP/1.0 200 OK\r\nCSeq: 3\r\r\nSession: 9\r\n\r\n");
    expect(message && headerOf(message, "session")).toBe("9");
  });

  it("reads a request of the server", () => {
    expect(parseHead("OPTIONS rtsp://a/ RTSP/1.0\r\nCSeq: 1\r\n\r\n")).toMatchObject({
      kind: "request",
      method: "OPTIONS",
    });
  });

  it("never throws, whatever the head", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.boolean(), (bytes, asResponse) => {
        parseHead(`${asResponse ? "RTSP/1.0 200 OK\r\n" : ""}${Buffer.from(bytes).toString("latin1")}`);
      }),
    );
  });
});
