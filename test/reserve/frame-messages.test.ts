import { describe, expect, it } from "vitest";
import { Codec, SLAB_BYTES_DEFAULT, SlabPool } from "../../src/live/index.js";
import { FrameReceiver, FrameSender, type SentFrame } from "../../src/reserve/frame-messages.js";

const VIDEO = {
  codec: Codec.H264,
  width: 320,
  height: 240,
  initialization: new Uint8Array([0, 0, 0, 1, 0x67]),
};
const SOUND = { codec: Codec.PCMA, sampleRate: 8000, channels: 1, initialization: new Uint8Array(0) };

const pool = () => new SlabPool({ slabBytes: SLAB_BYTES_DEFAULT, totalBytesMax: 4 * SLAB_BYTES_DEFAULT });
const frame = (change: Partial<SentFrame> = {}): SentFrame => ({
  ...{ format: VIDEO, decodeTimeUs: 1_700_000_000_000_000, presentationOffsetUs: 40_000 },
  ...{
    key: true,
    damaged: false,
    undecodable: false,
    startsFragment: true,
    bytes: new Uint8Array([1, 2, 3]),
  },
  ...change,
});

/** What comes out of messages that arrive in pieces of `size` bytes. */
function received(messages: Buffer, size: number) {
  const receiver = new FrameReceiver(pool());
  const frames = [];
  for (let at = 0; at < messages.length; at += size)
    frames.push(...receiver.take(messages.subarray(at, at + size)));
  expect(receiver.isWhole).toBe(true);
  receiver.close();
  return frames;
}

const bytesOf = ({ ranges }: { ranges: readonly { bytes: Uint8Array }[] }) =>
  Buffer.concat(ranges.map(({ bytes }) => bytes));

describe("frames on their way to the owner", () => {
  it.each([1, 7, 1_000_000])("come out as they went in, in pieces of %i bytes", (size) => {
    const sender = new FrameSender();
    const sent = [
      frame(),
      frame({
        format: SOUND,
        bytes: new Uint8Array(160).fill(0xd5),
        presentationOffsetUs: 0,
        startsFragment: false,
      }),
      frame({
        key: false,
        decodeTimeUs: 1_700_000_000_040_000,
        bytes: new Uint8Array(SLAB_BYTES_DEFAULT + 5).fill(9),
      }),
    ];
    if (size < 100) sent.splice(2, 1);

    const frames = received(Buffer.concat(sent.map((each) => sender.message(each))), size);

    expect(
      frames.map(({ decodeTimeUs, presentationOffsetUs, key, discontinuity }) => [
        decodeTimeUs,
        presentationOffsetUs,
        key,
        discontinuity,
      ]),
    ).toEqual(
      sent.map((each) => [each.decodeTimeUs, each.presentationOffsetUs, each.key, each.startsFragment]),
    );
    expect(frames.map(bytesOf)).toEqual(sent.map(({ bytes }) => Buffer.from(bytes)));
    expect(frames.map(({ format }) => format)).toEqual(sent.map(({ format }) => format));
    for (const each of frames) each.release();
  });

  it("have one format object while the format is the same, so that no segment is cut", () => {
    const sender = new FrameSender();
    const frames = received(Buffer.concat([frame(), frame()].map((each) => sender.message(each))), 1000);

    expect(frames[1]?.format).toBe(frames[0]?.format);
    for (const each of frames) each.release();
  });
});

describe("what is no frame", () => {
  const withHead = (head: unknown, bytes = 3) => {
    const text = Buffer.from(typeof head === "string" ? head : JSON.stringify(head));
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32LE(text.length, 0);
    lengths.writeUInt32LE(bytes, 4);
    return Buffer.concat([lengths, text, Buffer.alloc(bytes)]);
  };
  const HEAD = {
    time: 1,
    offset: 0,
    key: true,
    damaged: false,
    undecodable: false,
    discontinuity: false,
    isAudio: false,
  };

  it.each([
    ["a head that is no JSON", withHead("{")],
    ["a head without its members", withHead({ time: 1 })],
    ["a time that is none", withHead({ ...HEAD, time: -1 })],
    ["a codec that is none", withHead({ ...HEAD, format: { ...VIDEO, codec: 99, initialization: "" } })],
    ["a frame before its format", withHead(HEAD)],
    [
      "sound in the format of pictures",
      withHead({ ...HEAD, isAudio: true, format: { ...VIDEO, initialization: "" } }),
    ],
    ["lengths beyond all bounds", Buffer.from([255, 255, 255, 255, 255, 255, 255, 255])],
    ["a frame of no bytes", withHead(HEAD, 0)],
  ])("is refused: %s", (_what, message) => {
    expect(() => new FrameReceiver(pool()).take(message)).toThrow(/what the reserve sends cannot be read/);
  });

  it("waits where its memory is used up", () => {
    const receiver = new FrameReceiver(new SlabPool({ slabBytes: 4096, totalBytesMax: 4096 }));
    const message = new FrameSender().message(frame({ bytes: new Uint8Array(10_000) }));

    expect(() => receiver.take(message)).toThrow(/memory for frames is used up/);
  });
});
