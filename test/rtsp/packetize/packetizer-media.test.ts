import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AacPacketizer } from "../../../src/rtsp/packetize/packetizer-aac.js";
import { PacketBatch } from "../../../src/rtsp/packetize/packetizer-batch.js";
import { parseJpegPicture } from "../../../src/rtsp/packetize/packetizer-jpeg-header.js";
import { MjpegPacketizer } from "../../../src/rtsp/packetize/packetizer-mjpeg.js";
import { Mpeg4Packetizer } from "../../../src/rtsp/packetize/packetizer-mpeg4.js";
import { PcmPacketizer } from "../../../src/rtsp/packetize/packetizer-pcm.js";
import { readRtp } from "../../support/rtsp/rtp-reassembly.js";

const PAYLOAD_BYTES_MAX = 500;

function packetsOf(
  packetizer: { packetize(unit: Buffer, timestamp: number, batch: PacketBatch): boolean },
  unit: Buffer,
) {
  const batch = new PacketBatch({ payloadType: 97, payloadBytesMax: PAYLOAD_BYTES_MAX });
  packetizer.packetize(unit, 7, batch);
  return Array.from({ length: batch.packetCount }, (_, index) => readRtp(batch.packet(index)));
}

/** The first picture of the demo's MJPEG clip. */
function clipPicture(): Buffer {
  const clip = readFileSync(new URL("../../../src/demo/clips/street.mjpeg", import.meta.url));
  return clip.subarray(0, clip.indexOf(Buffer.from([0xff, 0xd9])) + 2);
}

/** A baseline JPEG by marker segments, with what a test changes. */
function jpeg(change: { sof?: number[]; dri?: number[]; scan?: number[]; extra?: number[] } = {}): Buffer {
  const table = [0xff, 0xdb, 0, 67, 0, ...Array(64).fill(16), 0xff, 0xdb, 0, 67, 1, ...Array(64).fill(17)];
  const sof = change.sof ?? [8, 0, 16, 0, 33, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
  const dri = change.dri === undefined ? [] : [0xff, 0xdd, 0, 4, ...change.dri];
  const scan = change.scan ?? [1, 2, 3];
  return Buffer.from([
    ...[0xff, 0xd8, ...table, ...(change.extra ?? []), 0xff, 0xc0, 0, 17, ...sof, ...dri],
    ...[0xff, 0xda, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0, ...scan, 0xff, 0xd9],
  ]);
}

describe("MJPEG packetizer", () => {
  it("sends a picture's scan data in fragments after headers from which it can be rebuilt (RFC 2435)", () => {
    const picture = clipPicture();
    const parsed = parseJpegPicture(picture);
    const packets = packetsOf(new MjpegPacketizer(), picture);
    const scan: Buffer[] = [];
    let offset = 0;
    packets.forEach(({ payload }, index) => {
      expect(payload.readUIntBE(1, 3)).toBe(offset);
      expect([...payload.subarray(4, 8)]).toEqual([1, 255, 320 / 8, 240 / 8]);
      const data = payload.subarray(index === 0 ? 8 + 4 + 128 : 8);
      scan.push(data);
      offset += data.length;
    });
    expect(Buffer.concat(scan)).toEqual(picture.subarray(parsed?.scanStart, picture.length - 2));
    expect(packets.at(-1)?.marker).toBe(true);
    expect(packets[0]?.payload.subarray(12, 140)).toEqual(parsed?.tables);
  });

  it("keeps the restart interval and signals the type of sampling", () => {
    const [packet] = packetsOf(
      new MjpegPacketizer(),
      jpeg({ dri: [0, 4], sof: [8, 0, 16, 0, 33, 3, 1, 0x21, 0, 2, 0x11, 1, 3, 0x11, 1] }),
    );
    expect(packet?.payload[4]).toBe(64);
    expect([...(packet?.payload.subarray(6, 12) ?? [])]).toEqual([5, 2, 0, 4, 0xff, 0xff]);
  });

  it("sends 16-bit tables with their precision bit", () => {
    const extra = [0xff, 0xdb, 0, 131, 0x10, ...Array(128).fill(1)];
    const [packet] = packetsOf(new MjpegPacketizer(), jpeg({ extra }));
    expect(packet?.payload[9]).toBe(1);
    expect(packet?.payload.readUInt16BE(10)).toBe(128 + 64);
  });

  it("sends 0 for a side that RFC 2435 cannot tell: the session description tells it", () => {
    const [packet] = packetsOf(
      new MjpegPacketizer(),
      jpeg({ sof: [8, 0, 16, 8, 1, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1] }), // 2049 pixels wide
    );
    expect([...(packet?.payload.subarray(6, 8) ?? [])]).toEqual([0, 2]);
  });

  it("refuses what RFC 2435 cannot carry", () => {
    const refused = [
      jpeg({ sof: [8, 0, 16, 0, 33, 3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1] }), // 4:4:4
      jpeg({ sof: [12, 0, 16, 0, 33, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1] }), // 12 bits
      jpeg({ sof: [8, 0, 16, 0, 33, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 2] }), // a table that is not there
      jpeg({ extra: [0xff, 0xc2, 0, 4, 0, 0] }), // progressive
      jpeg({ extra: [0xff, 0xc4, 0, 5, 0, 9, 9] }), // Huffman tables of its own
      jpeg().subarray(0, 100),
      Buffer.alloc(0),
    ];
    for (const picture of refused) expect(packetsOf(new MjpegPacketizer(), picture)).toHaveLength(0);
  });

  it("takes damaged pictures without throwing", () => {
    const picture = jpeg({ dri: [0, 1] });
    fc.assert(
      fc.property(fc.nat(picture.length - 1), fc.nat(255), fc.nat(picture.length), (at, value, length) => {
        const damaged = Buffer.from(picture.subarray(0, length));
        if (at < length) damaged[at] = value;
        packetsOf(new MjpegPacketizer(), damaged);
      }),
      { numRuns: 300 },
    );
  });
});

describe("AAC packetizer", () => {
  it("puts a small access unit after one AU header (RFC 3640, AAC-hbr)", () => {
    const unit = Buffer.alloc(300, 9);
    const [packet, ...more] = packetsOf(new AacPacketizer(), unit);
    expect(more).toHaveLength(0);
    expect([packet?.payload.readUInt16BE(0), (packet?.payload.readUInt16BE(2) ?? 0) >> 3]).toEqual([16, 300]);
    expect(packet?.payload.subarray(4)).toEqual(unit);
    expect(packet?.marker).toBe(true);
  });

  it("sends a large access unit in fragments with the size of the whole", () => {
    const unit = Buffer.from(Array.from({ length: 1200 }, (_, index) => index & 255));
    const packets = packetsOf(new AacPacketizer(), unit);
    expect(packets.map(({ payload }) => payload.readUInt16BE(2) >> 3)).toEqual([1200, 1200, 1200]);
    expect(Buffer.concat(packets.map(({ payload }) => payload.subarray(4)))).toEqual(unit);
    expect(packets.map(({ marker }) => marker)).toEqual([false, false, true]);
  });

  it("refuses a unit too large for an AU header", () => {
    expect(packetsOf(new AacPacketizer(), Buffer.alloc(8192))).toHaveLength(0);
  });
});

describe("G.711 packetizer", () => {
  it("splits long audio, with timestamps that count samples", () => {
    const packets = packetsOf(new PcmPacketizer(1), Buffer.alloc(1200, 0xff));
    expect(packets.map(({ timestamp, payload, marker }) => [timestamp, payload.length, marker])).toEqual([
      [7, 500, false],
      [507, 500, false],
      [1007, 200, false],
    ]);
  });

  it("never splits between the channels of one instant", () => {
    const packets = packetsOf(new PcmPacketizer(3), Buffer.alloc(600));
    expect(packets.map(({ timestamp, payload }) => [timestamp, payload.length])).toEqual([
      [7, 498],
      [7 + 166, 102],
    ]);
  });
});

describe("MPEG-4 Part 2 packetizer", () => {
  it("splits an access unit at the payload limit, with the marker on the last packet (RFC 6416)", () => {
    const unit = Buffer.from(Array.from({ length: 1001 }, (_, index) => index & 255));
    const packets = packetsOf(new Mpeg4Packetizer(), unit);
    expect(Buffer.concat(packets.map(({ payload }) => payload))).toEqual(unit);
    expect(packets.map(({ marker }) => marker)).toEqual([false, false, true]);
  });
});
