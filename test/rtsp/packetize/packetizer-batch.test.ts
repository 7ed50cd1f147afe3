import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PacketBatch } from "../../../src/rtsp/packetize/packetizer-batch.js";
import { rtpTimestampOf } from "../../../src/rtsp/packetize/packetizer-for-format.js";
import { readRtp } from "../../support/rtsp/rtp-reassembly.js";

function filledBatch(payloads: readonly Uint8Array[], timestamp = 1000): PacketBatch {
  const batch = new PacketBatch({ payloadType: 96, payloadBytesMax: 1400 });
  for (const payload of payloads) {
    batch.begin(timestamp);
    batch.append(payload, 0, payload.length);
    batch.finish();
  }
  return batch;
}

describe("PacketBatch", () => {
  it("frames each packet for an RTSP connection and stamps it for its receiver", () => {
    const batch = filledBatch([Buffer.from("one"), Buffer.from("three")]);
    batch.markLast();
    const bytes = Buffer.alloc(batch.byteLength);
    const next = batch.copyTo(bytes, {
      channel: 4,
      ssrc: 0xdeadbeef,
      sequence: 65_535,
      timestampOffset: 2 ** 32 - 1,
    });
    expect(next).toBe(1);
    expect([bytes[0], bytes[1], bytes.readUInt16BE(2)]).toEqual([0x24, 4, 12 + 3]);
    expect(readRtp(bytes.subarray(4, 19))).toMatchObject({
      marker: false,
      payloadType: 96,
      sequence: 65_535,
      timestamp: 999,
      ssrc: 0xdeadbeef,
      payload: Buffer.from("one"),
    });
    expect([bytes[19], bytes[20], bytes.readUInt16BE(21)]).toEqual([0x24, 4, 12 + 5]);
    expect(readRtp(bytes.subarray(23))).toMatchObject({
      marker: true,
      sequence: 0,
      payload: Buffer.from("three"),
    });
  });

  it("leaves the shared packets as they are when one receiver's are stamped", () => {
    const batch = filledBatch([Buffer.from("shared")]);
    const before = Buffer.from(batch.bytes);
    batch.copyTo(Buffer.alloc(batch.byteLength), { channel: 9, ssrc: 1, sequence: 2, timestampOffset: 3 });
    expect(batch.bytes).toEqual(before);
  });

  it("gives packets without the interleaved header to a datagram sender, and counts payload octets", () => {
    const batch = filledBatch([Buffer.from("a"), Buffer.from("bc")]);
    expect(batch.packet(1).subarray(12)).toEqual(Buffer.from("bc"));
    expect(batch.payloadBytes).toBe(3);
    expect(() => batch.packet(2)).toThrow(RangeError);
  });

  it("grows for many and large packets and is used again after clear", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 1400 }), { maxLength: 200 }), (payloads) => {
        const batch = filledBatch(payloads);
        expect(batch.packetCount).toBe(payloads.length);
        payloads.forEach((payload, index) => {
          expect(Buffer.compare(batch.packet(index).subarray(12), payload)).toBe(0);
        });
        batch.clear();
        expect(batch.byteLength).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  it("is stamped in place for one receiver after the other, and detached for one that keeps it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 1400 }), { minLength: 1, maxLength: 90 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
        (payloads, keeps) => {
          const batch = filledBatch(payloads, 2 ** 32 - 5);
          const kept: { readonly bytes: Buffer; readonly expected: Buffer }[] = [];
          keeps.forEach((isKept, at) => {
            const stamp = { channel: at, ssrc: at, sequence: 65_530 + at, timestampOffset: at * 1000 };
            const expected = Buffer.alloc(batch.byteLength);
            const next = batch.copyTo(expected, stamp);
            expect(batch.stampInPlace(stamp)).toBe(next);
            expect(batch.bytes.equals(expected)).toBe(true);
            if (!isKept) return;
            kept.push({ bytes: batch.bytes, expected });
            batch.detach();
          });
          batch.clear();
          batch.begin(0);
          for (const { bytes, expected } of kept) expect(bytes.equals(expected)).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("puts a header extension after the header of its first packet", () => {
    const batch = filledBatch([Buffer.from("one"), Buffer.from("two")]);
    const extension = Buffer.from("abac0000", "hex");
    const bytes = Buffer.alloc(batch.byteLength + extension.length);
    batch.copyTo(bytes, { channel: 0, ssrc: 1, sequence: 7, timestampOffset: 0, extension });
    const first = bytes.subarray(4, 4 + bytes.readUInt16BE(2));
    expect([first[0], first.subarray(12).toString("latin1")]).toEqual([0x90, "\xab\xac\0\0one"]);
    const second = bytes.subarray(4 + first.length + 4);
    expect([second[0], second.readUInt16BE(2), second.subarray(12).toString()]).toEqual([0x80, 8, "two"]);
  });

  it("refuses impossible payload limits", () => {
    for (const payloadBytesMax of [0, 100, 70_000, Number.NaN]) {
      expect(() => new PacketBatch({ payloadType: 96, payloadBytesMax })).toThrow(RangeError);
    }
  });
});

describe("rtpTimestampOf", () => {
  it("is exact to the tick at present times and wraps at 2^32", () => {
    const timeUs = 1_900_000_000_123_456;
    const exact = (BigInt(timeUs) * 90_000n + 500_000n) / 1_000_000n;
    expect(rtpTimestampOf(timeUs, 90_000)).toBe(Number(exact % 2n ** 32n));
  });

  it("rises by the frame's length for each sample rate", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4_000_000_000_000_000 }),
        fc.constantFrom(8000, 44_100, 90_000),
        (timeUs, rate) => {
          const later = timeUs + 1_000_000;
          const delta = (rtpTimestampOf(later, rate) - rtpTimestampOf(timeUs, rate) + 2 ** 32) % 2 ** 32;
          expect(delta).toBe(rate);
        },
      ),
    );
  });
});
