import { describe, expect, it } from "vitest";
import { MESSAGE_BYTES_MAX, OPCODES, WebSocketFrames } from "../../src/fleet/hub/web-socket-frames.js";

/** A frame as a server sends it, without a mask. */
function frame(first: number, payload: Buffer): Buffer {
  if (payload.length < 126) return Buffer.concat([Buffer.from([first, payload.length]), payload]);
  const head = Buffer.alloc(4);
  head.writeUInt8(first, 0);
  head.writeUInt8(126, 1);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

function reader() {
  const seen: unknown[] = [];
  const frames = new WebSocketFrames({
    onMessage: (payload, isBinary) => seen.push([isBinary ? "binary" : "text", payload.toString()]),
    onPing: (payload) => seen.push(["ping", payload.toString()]),
    onClose: (code, reason) => seen.push(["close", code, reason]),
  });
  return { frames, seen };
}

describe("frames of a recorder's WebSocket", () => {
  it("are read whole, however they are cut on the way", () => {
    const { frames, seen } = reader();
    const long = "x".repeat(300);
    const sent = Buffer.concat([
      frame(0x80 | OPCODES.text, Buffer.from("hello")),
      frame(0x80 | OPCODES.binary, Buffer.from(long)),
    ]);

    for (const byte of sent) frames.push(Buffer.from([byte]));

    expect(seen).toEqual([
      ["text", "hello"],
      ["binary", long],
    ]);
  });

  it("of one message are joined, with a ping between them", () => {
    const { frames, seen } = reader();

    frames.push(
      Buffer.concat([
        frame(OPCODES.text, Buffer.from("one ")),
        frame(0x80 | OPCODES.ping, Buffer.from("7")),
        frame(0x80 | OPCODES.continuation, Buffer.from("two")),
      ]),
    );

    expect(seen).toEqual([
      ["ping", "7"],
      ["text", "one two"],
    ]);
  });

  it("say with which code it is closed", () => {
    const { frames, seen } = reader();

    frames.push(frame(0x80 | OPCODES.close, Buffer.from([0x03, 0xf0, 0x6e, 0x6f])));

    expect(seen).toEqual([["close", 1008, "no"]]);
  });

  it.each([
    ["with a mask", Buffer.from([0x81, 0x80, 0, 0, 0, 0])],
    ["compressed", Buffer.from([0xc1, 0x00])],
    ["of an unknown kind", Buffer.from([0x83, 0x00])],
    ["longer than a message may be", hugeFrame()],
    ["of control that are too long", Buffer.from([0x89, 126, 0x01, 0x00])],
  ])("%s are refused", (_what, bytes) => {
    expect(() => reader().frames.push(bytes)).toThrow(RangeError);
  });
});

function hugeFrame(): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt8(0x82, 0);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(MESSAGE_BYTES_MAX + 1), 2);
  return head;
}
