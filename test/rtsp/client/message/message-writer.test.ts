import { describe, expect, it } from "vitest";
import { writeRequest, writeResponse } from "../../../../src/rtsp/message/message-writer.js";

describe("writeRequest", () => {
  it("writes requests as in RFC 2326", () => {
    const bytes = writeRequest({
      method: "OPTIONS",
      uri: "rtsp://a/b",
      headers: { CSeq: "1", "User-Agent": "nvrd" },
    });
    expect(bytes.toString()).toBe("OPTIONS rtsp://a/b RTSP/1.0\r\nCSeq: 1\r\nUser-Agent: nvrd\r\n\r\n");
  });

  it("writes what a camera said byte by byte", () => {
    const [uri, session] = ["rtsp://a/\xc9\xe3", "\xcf\xf1"];
    const bytes = writeRequest({ method: "PLAY", uri, headers: { Session: session } });
    expect(bytes.toString("latin1")).toBe(`PLAY ${uri} RTSP/1.0\r\nSession: ${session}\r\n\r\n`);
  });

  it("refuses to send line breaks in URI or header", () => {
    expect(() => writeRequest({ method: "PLAY", uri: "rtsp://a/\r\nX: y", headers: {} })).toThrow(RangeError);
    expect(() => writeRequest({ method: "PLAY", uri: "rtsp://a/", headers: { Session: "1\nX: y" } })).toThrow(
      RangeError,
    );
  });
});

describe("writeResponse", () => {
  it("writes the status's phrase, each value of a list as a header, and the body's length", () => {
    const bytes = writeResponse({
      status: 401,
      headers: { CSeq: "1", "WWW-Authenticate": ["Digest a", "Basic b"] },
      body: "für",
    });
    expect(bytes.toString()).toBe(
      "RTSP/1.0 401 Unauthorized\r\nCSeq: 1\r\nWWW-Authenticate: Digest a\r\nWWW-Authenticate: Basic b\r\nContent-Length: 4\r\n\r\nfür",
    );
  });

  it("writes a status that RTSP has no phrase for", () => {
    expect(writeResponse({ status: 409, headers: {} }).toString()).toBe("RTSP/1.0 409 Error\r\n\r\n");
  });

  it("replaces line ends within a value by spaces", () => {
    const bytes = writeResponse({
      status: 551,
      headers: { Unsupported: ["a\r\nX: y", "b\0"], CSeq: "1\n2" },
    });
    expect(bytes.toString()).toBe(
      "RTSP/1.0 551 Option not supported\r\nUnsupported: a  X: y\r\nUnsupported: b \r\nCSeq: 1 2\r\n\r\n",
    );
  });

  it("writes a body of a hundred kilobytes whole", () => {
    const body = "x".repeat(100_000);
    const bytes = writeResponse({ status: 200, headers: {}, body });
    expect(bytes.toString()).toBe(`RTSP/1.0 200 OK\r\nContent-Length: 100000\r\n\r\n${body}`);
  });
});
