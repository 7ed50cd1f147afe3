import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ClientItem, RequestParser } from "../../../src/rtsp/server/request-parser.js";
import { RequestError } from "../../../src/rtsp/server/server-request.js";
import { parseTransportHeader } from "../../../src/rtsp/server/transport-header.js";

/** All items of `bytes`, pushed in pieces that end at `cuts`. */
function parse(bytes: string | Buffer, cuts: readonly number[] = []): ClientItem[] {
  const parser = new RequestParser();
  const items: ClientItem[] = [];
  const all = Buffer.from(bytes);
  const ends = [...new Set([...cuts, all.length])].sort((one, other) => one - other);
  let start = 0;
  for (const end of ends) {
    parser.push(all.subarray(start, end));
    start = end;
    for (let item = parser.next(); item !== undefined; item = parser.next()) items.push(item);
  }
  return items;
}

function onlyRequest(bytes: string) {
  const [item, ...more] = parse(bytes);
  expect(more).toHaveLength(0);
  if (item?.kind !== "request") throw new Error("no request");
  return item.request;
}

function statusOf(bytes: string | Buffer): number | undefined {
  try {
    parse(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof RequestError) return error.status;
    throw error;
  }
}

describe("RequestParser", () => {
  it("reads method, URI, headers without regard to case, and body", () => {
    const request = onlyRequest(
      "SET_PARAMETER rtsp://h/a RTSP/1.0\r\nCSeq: 3\r\nCONTENT-length: 4\r\n\r\nbody",
    );
    expect(request).toMatchObject({ method: "SET_PARAMETER", uri: "rtsp://h/a", version: "1.0" });
    expect(request.headers.get("cseq")).toBe("3");
    expect(request.body.toString()).toBe("body");
  });

  it("gives the same items wherever the bytes are split", () => {
    const session = Buffer.concat([
      Buffer.from("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n\r\nDESCRIBE rtsp://h/a RTSP/1.0\nCSeq: 2\n\n"),
      Buffer.from([0x24, 1, 0, 3, 1, 2, 3]),
      Buffer.from(
        "GET_PARAMETER rtsp://h/a RTSP/1.0\r\nCSeq: 3\r\nContent-Length: 5\r\n\r\nhello$\x01\x00\x00",
      ),
    ]);
    const whole = parse(session);
    expect(whole.map((item) => item.kind)).toEqual([
      "request",
      "request",
      "interleaved",
      "request",
      "interleaved",
    ]);
    for (let cut = 1; cut < session.length; cut++) expect(parse(session, [cut])).toEqual(whole);
    expect(
      parse(
        session,
        Array.from({ length: session.length }, (_, index) => index),
      ),
    ).toEqual(whole);
  });

  it.each([
    ["lower-case protocol", "OPTIONS * rtsp/1.0\r\nCSeq: 1\r\n\r\n"],
    ["lower-case method", "options * RTSP/1.0\r\nCSeq: 1\r\n\r\n"],
    ["several blanks", "OPTIONS  *  RTSP/1.0 \r\nCSeq: 1\r\n\r\n"],
    ["line ends before the request", "\r\n\r\nOPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n"],
  ])("reads a request with %s", (_, text) => {
    const request = onlyRequest(text);
    expect([request.method, request.uri, request.headers.get("cseq")]).toEqual(["OPTIONS", "*", "1"]);
  });

  it("reads header blocks beyond a kilobyte", () => {
    const request = onlyRequest(`OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX-Long: ${"x".repeat(8000)}\r\n\r\n`);
    expect(request.headers.get("x-long")).toHaveLength(8000);
  });

  it("takes header names that are members of every object as headers", () => {
    const request = onlyRequest("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nconstructor: a\r\n__proto__: b\r\n\r\n");
    expect([...request.headers]).toEqual([
      ["cseq", "1"],
      ["constructor", "a"],
      ["__proto__", "b"],
    ]);
  });

  it("reads the headers after a stray carriage return, the body's length among them", () => {
    const request = onlyRequest("SET_PARAMETER * RTSP/1.0\r\nCSeq: 1\r\r\nContent-Length: 4\r\n\r\nbody");
    expect(request.body.toString()).toBe("body");
  });

  it.each([
    ["no RTSP", "GET / HTTP/1.1\r\n\r\n", 400],
    ["a TLS greeting", Buffer.from("16030100fa0a0a", "hex"), 400],
    ["an endless header", `OPTIONS * RTSP/1.0\r\nX: ${"x".repeat(20_000)}`, 413],
    [
      "too many headers",
      `OPTIONS * RTSP/1.0\r\n${Array.from({ length: 150 }, (_, i) => `A${i}: b\r\n`).join("")}\r\n`,
      400,
    ],
    ["a body beyond the bound", "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 70000\r\n\r\n", 413],
    ["a negative body", "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: -1\r\n\r\n", 400],
    ["two body lengths", "OPTIONS * RTSP/1.0\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400],
    ["an endless URI", `OPTIONS rtsp://h/${"a".repeat(3000)} RTSP/1.0\r\nCSeq: 1\r\n\r\n`, 414],
    ["control characters in the URI", "OPTIONS rtsp://h/\x01 RTSP/1.0\r\nCSeq: 1\r\n\r\n", 400],
  ])("refuses %s", (_, bytes, status) => {
    expect(statusOf(Buffer.concat([Buffer.from(bytes), Buffer.from("\r\n\r\n")]))).toBe(status);
  });

  it("returns items or a RequestError for any bytes, however split", () => {
    const fragments = fc.constantFrom(
      "OPTIONS ",
      "* ",
      "RTSP/1.0",
      "\r\n",
      "\n",
      "\r",
      "CSeq: 1",
      ": ",
      "$",
      "\0",
      "Content-Length: 3",
      " ",
    );
    const piece = fc.oneof(fragments, fc.string({ unit: "binary", maxLength: 20 }));
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.nat(300), { maxLength: 8 }),
        (pieces, cuts) => {
          const bytes = Buffer.from(pieces.join(""), "latin1");
          try {
            parse(
              bytes,
              cuts.filter((cut) => cut < bytes.length),
            );
          } catch (error) {
            expect(error).toBeInstanceOf(RequestError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("parseTransportHeader", () => {
  it("reads offers in the client's order", () => {
    expect(
      parseTransportHeader("RTP/AVP;unicast;client_port=5000-5001, RTP/AVP/TCP;unicast;interleaved=2-3"),
    ).toEqual([
      { lower: "UDP", interleaved: undefined, clientPorts: [5000, 5001] },
      { lower: "TCP", interleaved: [2, 3] },
    ]);
  });

  it("takes one channel, blanks and other cases", () => {
    expect(parseTransportHeader("rtp/avp/tcp; Interleaved = 4")).toEqual([
      { lower: "TCP", interleaved: [4, 5] },
    ]);
  });

  it("leaves out multicast, other profiles and impossible channels", () => {
    expect(parseTransportHeader("RTP/AVP;multicast,RTP/SAVP/TCP;unicast,")).toEqual([]);
    expect(parseTransportHeader("RTP/AVP/TCP;interleaved=300-301")).toEqual([
      { lower: "TCP", interleaved: undefined },
    ]);
    expect(parseTransportHeader("RTP/AVP/TCP;interleaved=255")).toEqual([
      { lower: "TCP", interleaved: undefined },
    ]);
  });
});
