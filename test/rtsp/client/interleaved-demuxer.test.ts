import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlabPool } from "../../../src/live/index.js";
import { InterleavedDemuxer, STRAY_BYTES_MAX } from "../../../src/rtsp/client/socket/interleaved-demuxer.js";
import { BODY_BYTES_MAX, HEADER_BYTES_MAX } from "../../../src/rtsp/message/rtsp-message.js";
import { SlabWindow } from "../../../src/rtsp/rtp/slab-window.js";
import { interleaved, keyFrames, rtpPacket } from "../../support/rtsp/scripted-rtsp-server.js";

/** What a demuxer told, one line a thing. */
function demux(chunks: readonly Uint8Array[], channels: readonly number[] = [0, 1]) {
  const pool = new SlabPool({ slabBytes: 128 * 1024, totalBytesMax: 1024 * 1024 });
  const window = new SlabWindow(pool);
  const demuxed: string[] = [];
  const demuxer = new InterleavedDemuxer(window, {
    onPacket: (channel, buffer, start, end) =>
      demuxed.push(`${channel}:${buffer.toString("hex", start, end)}`),
    onMessage: (message) =>
      demuxed.push(
        `${message.kind === "response" ? message.status : message.method} ${message.body.toString("latin1").slice(0, 100)}`,
      ),
    onProtocolError: (reason) => demuxed.push(`error ${reason}`),
  });
  for (const channel of channels) demuxer.addChannel(channel);
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const target = window.target();
      const piece = chunk.subarray(at, at + target.length);
      target.set(piece);
      window.committed(piece.length);
      demuxer.run();
      at += piece.length;
    }
  }
  return { demuxed, counters: demuxer.counters, allocatedBytes: pool.allocatedBytes };
}

const RESPONSE = Buffer.from("RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 5\r\n\r\nhello");
const frame = (channel: number, text: string) =>
  interleaved(channel, rtpPacket({ sequence: 1, timestamp: 1, payload: Buffer.from(text) }));
const tail = (demuxed: readonly string[]) =>
  demuxed.map((line) =>
    /^\d+:/.test(line)
      ? Buffer.from(line.split(":")[1] ?? "", "hex")
          .subarray(12)
          .toString()
      : line,
  );

describe("the interleaved demuxer", () => {
  const session = Buffer.concat([
    RESPONSE,
    frame(0, "one"),
    Buffer.from("\r\n"),
    frame(7, "unknown channel"),
    Buffer.from("OPTIONS rtsp://x RTSP/1.0\r\nCSeq: 1\r\n\r\n"),
    frame(1, "two"),
    Buffer.from("RTSP/1.0 200 OK\r\nCSeq: 2\r\n\r\n"),
    frame(0, "x".repeat(300)),
  ]);

  it("takes an answer to its request that calls itself HTTP, also divided, and no page of a web server", () => {
    const answer = Buffer.from("HTTP/1.0 200 OK\r\nCSeq: 2\r\nContent-Length: 5\r\n\r\nhello");
    expect(demux([answer]).demuxed).toEqual(["200 hello"]);
    expect(demux([answer.subarray(0, 3), answer.subarray(3, 30), answer.subarray(30)]).demuxed).toEqual([
      "200 hello",
    ]);
    expect(demux([Buffer.from("HTTP/1.0 200 OK\r\nServer: web\r\n\r\n")]).demuxed).toEqual([]);
  });

  describe("of a body that is promised and does not come", () => {
    const promise = Buffer.from("RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 300\r\n\r\n");
    const next = Buffer.from("RTSP/1.0 200 OK\r\nCSeq: 2\r\n\r\n");
    const half = Buffer.from("costs: 5$ and $1\r\n");
    const cases: readonly (readonly [string, Buffer, readonly string[]])[] = [
      ["a packet", Buffer.concat([promise, frame(0, "one"), frame(1, "two")]), ["200 ", "one", "two"]],
      ["a message", Buffer.concat([promise, next, frame(0, "one")]), ["200 ", "200 ", "one"]],
      [
        "a part, and a packet",
        Buffer.concat([promise, half, frame(1, "two")]),
        [`200 ${half.toString()}`, "two"],
      ],
    ];

    it.each(cases)(
      "has what follows as it is, wherever the reads are split: %s",
      (_name, bytes, expected) => {
        for (let split = 1; split < bytes.length; split += 1)
          expect(tail(demux([bytes.subarray(0, split), bytes.subarray(split)]).demuxed)).toEqual(expected);
        expect(tail(demux([...bytes].map((byte) => Uint8Array.of(byte))).demuxed)).toEqual(expected);
      },
    );
  });

  it("ends heads with CR CR LF, wherever the reads are split", () => {
    const bytes = Buffer.concat([Buffer.from("RTSP/1.0 200 OK\r\r\nCSeq: 1\r\r\n\r\r\n"), frame(0, "one")]);
    for (let split = 1; split < bytes.length; split += 1)
      expect(tail(demux([bytes.subarray(0, split), bytes.subarray(split)]).demuxed)).toEqual(["200 ", "one"]);
  });

  it("gives the same frames and messages wherever the reads are split", () => {
    const whole = demux([session]);
    expect(tail(whole.demuxed)).toEqual(["200 hello", "one", "OPTIONS ", "two", "200 ", "x".repeat(300)]);
    for (let at = 1; at < session.length; at += 1) {
      expect(demux([session.subarray(0, at), session.subarray(at)]).demuxed).toEqual(whole.demuxed);
    }
    const bytewise = Array.from(session, (_, at) => session.subarray(at, at + 1));
    expect(demux(bytewise).demuxed).toEqual(whole.demuxed);
  });

  it("drops and counts frames of channels that were not set up", () => {
    expect(demux([session]).counters).toEqual({ strayBytes: 0, unknownChannelPackets: 1 });
  });

  it("finds the next frame after garbage", () => {
    const garbage = Buffer.from("\u0001\u0002$\u00ff$$$\u0000garbage$\u0000\u0000\u0003abc RTXP", "latin1");
    const { demuxed, counters } = demux([frame(0, "before"), garbage, frame(0, "after"), garbage, RESPONSE]);
    expect(tail(demuxed)).toEqual(["before", "after", "200 hello"]);
    expect(counters.strayBytes).toBeGreaterThan(20);
  });

  it("finds the next frame after one with lost bytes", () => {
    const cut = frame(0, "y".repeat(100)).subarray(0, 60);
    const { demuxed } = demux([cut, frame(0, "swallowed".repeat(10)), frame(0, "next"), frame(0, "last")]);
    expect(tail(demuxed).slice(-2)).toEqual(["next", "last"]);
  });

  it("gives up on an endless header", () => {
    const endless = Buffer.concat([
      Buffer.from("RTSP/1.0 200 OK\r\n"),
      Buffer.from("X: y\r\n".repeat(HEADER_BYTES_MAX / 4)),
    ]);
    const { demuxed, allocatedBytes } = demux([endless]);
    expect(demuxed).toEqual([`error a message header longer than ${HEADER_BYTES_MAX} bytes`]);
    expect(allocatedBytes).toBeLessThanOrEqual(256 * 1024);
  });

  it("gives up on a body beyond its limit, without waiting for it", () => {
    const head = Buffer.from(`RTSP/1.0 200 OK\r\nContent-Length: ${BODY_BYTES_MAX + 1}\r\n\r\n`);
    expect(demux([head]).demuxed).toEqual([`error a message body longer than ${BODY_BYTES_MAX} bytes`]);
  });

  it("accepts a body of the maximum size", () => {
    const head = Buffer.from(`RTSP/1.0 200 OK\r\nContent-Length: ${BODY_BYTES_MAX}\r\n\r\n`);
    const { demuxed } = demux([head, Buffer.alloc(BODY_BYTES_MAX, 0x61), frame(0, "next")]);
    expect(tail(demuxed)).toEqual([`200 ${"a".repeat(100)}`, "next"]);
  });

  it("gives up on a peer that does not speak RTSP", () => {
    expect(demux([Buffer.alloc(STRAY_BYTES_MAX + 100, 0x61)]).demuxed).toEqual([
      "error bytes that are not RTSP",
    ]);
  });

  it("neither fails nor grows on random bytes and mutated sessions", () => {
    const frames = keyFrames(1, 20);
    const mutation = fc.record({
      at: fc.nat(),
      bytes: fc.uint8Array({ maxLength: 12 }),
      cut: fc.nat({ max: 20 }),
    });
    fc.assert(
      fc.property(
        fc.array(mutation, { maxLength: 6 }),
        fc.uint8Array({ maxLength: 2000 }),
        (mutations, noise) => {
          let bytes = Buffer.concat([session, frames, noise, session]);
          for (const { at, bytes: inserted, cut } of mutations) {
            const place = at % bytes.length;
            bytes = Buffer.concat([bytes.subarray(0, place), inserted, bytes.subarray(place + cut)]);
          }
          expect(demux([bytes, frames]).allocatedBytes).toBeLessThanOrEqual(256 * 1024);
        },
      ),
      { numRuns: 300 },
    );
  });
});
