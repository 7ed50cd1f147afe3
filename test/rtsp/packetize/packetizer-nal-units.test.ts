import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PacketBatch } from "../../../src/rtsp/packetize/packetizer-batch.js";
import { H264Packetizer } from "../../../src/rtsp/packetize/packetizer-h264.js";
import { H265Packetizer } from "../../../src/rtsp/packetize/packetizer-h265.js";
import { nalUnitsOf } from "../../../src/rtsp/packetize/packetizer-nal-units.js";
import { annexB, readRtp, reassembleH264, reassembleH265 } from "../../support/rtsp/rtp-reassembly.js";

const PAYLOAD_BYTES_MAX = 400;

const CODECS = [
  {
    name: "H.264",
    packetizer: new H264Packetizer(),
    reassemble: reassembleH264,
    aggregation: 24,
    fragmentation: 28,
  },
  {
    name: "H.265",
    packetizer: new H265Packetizer(),
    reassemble: reassembleH265,
    aggregation: 48,
    fragmentation: 49,
  },
] as const;

function payloadsOf(packetizer: H264Packetizer | H265Packetizer, unit: Buffer): ReturnType<typeof readRtp>[] {
  const batch = new PacketBatch({ payloadType: 96, payloadBytesMax: PAYLOAD_BYTES_MAX });
  packetizer.packetize(unit, 5, batch);
  return Array.from({ length: batch.packetCount }, (_, index) => readRtp(batch.packet(index)));
}

/** A NAL unit that can stand in Annex B: no start code inside, no zero at the end. */
function nalOf(isH264: boolean) {
  const body = fc.uint8Array({ minLength: 1, maxLength: 3000 }).map((bytes) => {
    const safe = bytes.map((byte) => (byte === 0 ? 7 : byte));
    return Buffer.from(safe);
  });
  return isH264
    ? fc
        .tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 1, max: 23 }), body)
        .map(([high, type, bytes]) => Buffer.concat([Buffer.from([(high << 5) | type]), bytes]))
    : fc
        .tuple(
          fc.integer({ min: 0, max: 47 }),
          fc.integer({ min: 0, max: 63 }),
          fc.integer({ min: 1, max: 7 }),
          body,
        )
        .map(([type, layer, temporal, bytes]) =>
          Buffer.concat([Buffer.from([(type << 1) | (layer >> 5), ((layer & 31) << 3) | temporal]), bytes]),
        );
}

describe.each(CODECS)("$name packetizer", ({ name, packetizer, reassemble, aggregation, fragmentation }) => {
  const isH264 = name === "H.264";
  const typeOf = (payload: Buffer) => (isH264 ? (payload[0] ?? 0) & 0x1f : ((payload[0] ?? 0) >> 1) & 0x3f);
  const nal = (type: number, bytes: number) =>
    Buffer.concat([
      isH264 ? Buffer.from([0x60 | type]) : Buffer.from([type << 1, 1]),
      Buffer.alloc(bytes, 0x55),
    ]);
  const sets = isH264 ? [nal(7, 20), nal(8, 5)] : [nal(32, 20), nal(33, 30), nal(34, 5)];
  const slice = (bytes: number) => nal(isH264 ? 5 : 19, bytes);

  it("carries every NAL unit in order within the payload limit, with the marker only on the last packet", () => {
    fc.assert(
      fc.property(fc.array(nalOf(isH264), { minLength: 1, maxLength: 12 }), (nals) => {
        const packets = payloadsOf(packetizer, annexB(nals));
        expect(reassemble(packets.map((packet) => packet.payload))).toEqual(nals);
        expect(packets.every((packet) => packet.payload.length <= PAYLOAD_BYTES_MAX)).toBe(true);
        expect(packets.map((packet) => packet.marker)).toEqual(
          packets.map((_, index) => index === packets.length - 1),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("puts parameter sets into one aggregation packet", () => {
    const packets = payloadsOf(packetizer, annexB([...sets, slice(50)]));
    expect(packets.map((packet) => typeOf(packet.payload))).toEqual([aggregation, isH264 ? 5 : 19]);
  });

  it("sends a NAL unit of exactly the limit in one packet, and one byte more in two fragments", () => {
    const header = isH264 ? 1 : 2;
    const types = (bytes: number) =>
      payloadsOf(packetizer, annexB([slice(bytes - header)])).map((packet) => typeOf(packet.payload));
    expect(types(PAYLOAD_BYTES_MAX)).toEqual([isH264 ? 5 : 19]);
    expect(types(PAYLOAD_BYTES_MAX + 1)).toEqual([fragmentation, fragmentation]);
  });

  it("leaves out NAL units whose type denotes a packet structure", () => {
    const packets = payloadsOf(packetizer, annexB([slice(10), nal(aggregation, 10), nal(fragmentation, 9)]));
    expect(packets.map((packet) => packet.payload)).toEqual([slice(10)]);
    expect(packets[0]?.marker).toBe(true);
  });

  it("accepts any bytes without throwing, and reports when there is nothing to send", () => {
    const batch = new PacketBatch({ payloadType: 96, payloadBytesMax: PAYLOAD_BYTES_MAX });
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant([0, 0, 1]), fc.array(fc.nat(255), { maxLength: 900 })), {
          maxLength: 20,
        }),
        (parts) => {
          batch.clear();
          const sent = packetizer.packetize(Buffer.from(parts.flat()), 0, batch);
          expect(sent).toBe(batch.packetCount > 0);
        },
      ),
    );
  });

  it("refuses a unit of more NAL units than a picture can have", () => {
    expect(payloadsOf(packetizer, annexB(Array.from({ length: 5000 }, () => slice(1))))).toHaveLength(0);
  });
});

describe("nalUnitsOf", () => {
  it("takes three- and four-byte start codes, passes trailing zeros and empty NAL units over", () => {
    const bytes = Buffer.from([
      9, 0, 0, 1, 0x65, 1, 0, 0, 0, 1, 0x41, 2, 0, 0, 0, 0, 1, 0, 0, 1, 0x41, 3, 0, 0,
    ]);
    expect(nalUnitsOf(bytes)).toEqual([
      Buffer.from([0x65, 1]),
      Buffer.from([0x41, 2]),
      Buffer.from([0x41, 3]),
    ]);
  });
});
