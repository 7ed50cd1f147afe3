import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { filler } from "../../support/media/sample-nal-units.js";
import { type HarnessOptions, TrackHarness } from "../../support/rtsp/track-harness.js";

const AAC_HBR: HarnessOptions = {
  codec: Codec.AAC,
  clockRate: 16_000,
  fmtp: { mode: "AAC-hbr", sizelength: "13", indexlength: "3", indexdeltalength: "3", config: "1408" },
};

/** An AU header section of AAC-hbr (RFC 3640, 3.3.6). */
function hbr(sizes: number[], ...data: Buffer[]): Buffer {
  const head = Buffer.alloc(2 + 2 * sizes.length);
  head.writeUInt16BE(16 * sizes.length, 0);
  sizes.forEach((size, index) => {
    head.writeUInt16BE(size << 3, 2 + 2 * index);
  });
  return Buffer.concat([head, ...data]);
}

describe("G.711 packets", () => {
  it("makes a frame of each packet, 8 bytes a millisecond", () => {
    const track = new TrackHarness({ codec: Codec.PCMA, clockRate: 8000, payloadType: 8 });
    for (let index = 0; index < 3; index += 1) {
      track.clock.advance(20_000);
      track.send({ payloadType: 8, timestamp: index * 160, marker: true }, filler(160, index));
    }
    const start = track.frames[0]?.decodeTimeUs ?? 0;
    expect(track.frames.map((frame) => frame.decodeTimeUs - start)).toEqual([0, 20_000, 40_000]);
    expect(track.frames[2]?.bytes).toEqual(filler(160, 2));
    expect(track.frames[0]).toMatchObject({ key: true, damaged: false });
  });

  it("makes nothing of an empty packet", () => {
    const track = new TrackHarness({ codec: Codec.PCMU, clockRate: 8000, payloadType: 0 });
    track.send({ payloadType: 0 }, Buffer.alloc(0));
    expect(track.frames).toHaveLength(0);
  });
});

describe("AAC packets", () => {
  it("splits several access units per packet and times them by their length", () => {
    const track = new TrackHarness(AAC_HBR);
    track.send({ timestamp: 0, marker: true }, hbr([10, 20], filler(10), filler(20)));
    expect(track.frames.map((frame) => frame.bytes)).toEqual([filler(10), filler(20)]);
    expect((track.frames[1]?.decodeTimeUs ?? 0) - (track.frames[0]?.decodeTimeUs ?? 0)).toBe(64_000);
    expect(track.frames[0]?.format).toMatchObject({ sampleRate: 16_000, channels: 1 });
    expect(Buffer.from(track.frames[0]?.format.initialization ?? []).toString("hex")).toBe("1408");
  });

  it("takes a length of the header section in bytes, where it is too short for a header in bits", () => {
    const track = new TrackHarness(AAC_HBR);
    const packet = hbr([10, 20], filler(10), filler(20));
    packet.writeUInt16BE(4, 0);
    track.send({ timestamp: 0, marker: true }, packet);
    expect(track.frames.map((frame) => frame.bytes)).toEqual([filler(10), filler(20)]);
  });

  it("puts a fragmented access unit together", () => {
    const track = new TrackHarness(AAC_HBR);
    track
      .send({ timestamp: 0 }, hbr([300], filler(200)))
      .send({ timestamp: 0, marker: true }, hbr([300], filler(100, 2)));
    expect(track.frames.map((frame) => frame.bytes)).toEqual([Buffer.concat([filler(200), filler(100, 2)])]);
  });

  it("drops a fragmented access unit that lost a packet", () => {
    const track = new TrackHarness(AAC_HBR);
    track
      .send({ timestamp: 0 }, hbr([300], filler(100)))
      .lose()
      .send({ timestamp: 0, marker: true }, hbr([300], filler(100)));
    track.send({ timestamp: 1024, marker: true }, hbr([9], filler(9)));
    expect(track.frames.map((frame) => frame.bytes)).toEqual([filler(9)]);
  });

  it("reads headers of AAC-lbr", () => {
    const fmtp = {
      mode: "AAC-lbr",
      sizelength: "6",
      indexlength: "2",
      indexdeltalength: "2",
      config: "1408",
    };
    const track = new TrackHarness({ ...AAC_HBR, fmtp });
    const head = Buffer.from([0, 16, 5 << 2, 7 << 2]);
    track.send({ timestamp: 0 }, Buffer.concat([head, filler(5), filler(7)]));
    expect(track.frames.map((frame) => frame.bytes)).toEqual([filler(5), filler(7)]);
  });

  /** RFC 3640, 3.2.1.1: behind size (13) and index (3) of each unit. */
  it.each([
    ["a time of presentation, absent and there", { ctsdeltalength: "9" }, ["0", "1000000101"]],
    ["a time of decoding, absent and there", { dtsdeltalength: "5" }, ["0", "110101"]],
    ["both times", { ctsdeltalength: "3", dtsdeltalength: "2" }, ["11110", "0111"]],
    ["a random access flag", { randomaccessindication: "1" }, ["1", "0"]],
    ["a stream state", { streamstateindication: "6" }, ["101010", "111111"]],
    [
      "all of them",
      { ctsdeltalength: "2", randomaccessindication: "1", streamstateindication: "3" },
      ["01101", "1111010"],
    ],
    ["none where a random access flag is said to be absent", { randomaccessindication: "0" }, ["", ""]],
  ])("skips in the headers of units %s", (_name, fields, [first = "", second = ""]) => {
    const track = new TrackHarness({ ...AAC_HBR, fmtp: { ...AAC_HBR.fmtp, ...fields } });
    const unit = (size: number, more: string) => `${size.toString(2).padStart(13, "0")}000${more}`;
    const bits = unit(10, first) + unit(20, second);
    const octets = bits.match(/.{1,8}/g) ?? [];
    const head = [
      bits.length >> 8,
      bits.length & 0xff,
      ...octets.map((octet) => parseInt(octet.padEnd(8, "0"), 2)),
    ];
    track.send({ timestamp: 0 }, Buffer.concat([Buffer.from(head), filler(10), filler(20)]));
    expect(track.frames.map((frame) => frame.bytes)).toEqual([filler(10), filler(20)]);
  });

  it("skips the auxiliary section", () => {
    const track = new TrackHarness({ ...AAC_HBR, fmtp: { ...AAC_HBR.fmtp, auxiliarydatasizelength: "8" } });
    track.send({ timestamp: 0 }, hbr([6], Buffer.from([12, 0xaa, 0xa0]), filler(6)));
    expect(track.frames[0]?.bytes).toEqual(filler(6));
  });

  it("refuses interleaved access units", () => {
    const track = new TrackHarness(AAC_HBR);
    const payload = hbr([6], filler(6));
    payload[3] = (payload[3] ?? 0) | 1;
    track.send({ timestamp: 0 }, payload);
    expect(track.frames).toHaveLength(0);
    expect(track.receiver.statistics.droppedUnits).toBe(1);
    expect(() => new TrackHarness({ ...AAC_HBR, fmtp: { ...AAC_HBR.fmtp, maxdisplacement: "5" } })).toThrow(
      /interleaved/,
    );
  });
});
