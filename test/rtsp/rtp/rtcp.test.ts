import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRtcp, writeReceiverReport } from "../../../src/rtsp/rtp/rtcp.js";

interface Seen {
  reports: { ssrc: number; ntpUs: number; rtpTimestamp: number }[];
  goodbyes: number[];
}

function read(packet: Buffer): Seen & { understood: boolean } {
  const seen: Seen = { reports: [], goodbyes: [] };
  const understood = readRtcp(packet, 0, packet.length, {
    onSenderReport: (report) => seen.reports.push(report),
    onGoodbye: (ssrc) => seen.goodbyes.push(ssrc),
  });
  return { ...seen, understood };
}

function senderReport(seconds: number, fraction: number): Buffer {
  const packet = Buffer.alloc(28);
  packet.writeUInt32BE(0x80c80006, 0);
  packet.writeUInt32BE(0xcafe, 4);
  packet.writeUInt32BE(seconds, 8);
  packet.writeUInt32BE(fraction, 12);
  packet.writeUInt32BE(90_000, 16);
  return packet;
}

describe("RTCP", () => {
  it("gives a sender report's wall clock as Unix microseconds", () => {
    // 2024-01-01T00:00:00.5Z
    const { reports } = read(senderReport(1_704_067_200 + 2_208_988_800, 0x80000000));
    expect(reports).toEqual([{ ssrc: 0xcafe, ntpUs: 1_704_067_200_500_000, rtpTimestamp: 90_000 }]);
  });

  it("ignores a sender report without a clock, and reads the year 2040 correctly", () => {
    expect(read(senderReport(0, 0)).reports).toEqual([]);
    const seconds2040 = 2_208_988_800 + 2_208_988_800 - 2 ** 32;
    expect(read(senderReport(seconds2040, 0)).reports[0]?.ntpUs).toBe(2_208_988_800_000_000);
  });

  it("finds BYE in a compound packet", () => {
    const bye = Buffer.from([0x82, 203, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2]);
    expect(read(Buffer.concat([senderReport(1, 1), bye])).goodbyes).toEqual([1, 2]);
  });

  it("writes reports that are whole RTCP packets", () => {
    for (const cname of ["", "a", "nvr", "nvrd-abcdef", "x".repeat(100)]) {
      const packet = writeReceiverReport({ ssrc: 7, block: undefined, cname, leaving: true });
      expect(packet.length % 4).toBe(0);
      expect(read(packet)).toMatchObject({ understood: true, goodbyes: [7] });
    }
  });

  it("writes the report block as in RFC 3550", () => {
    const block = {
      ssrc: 0x01020304,
      fractionLost: 128,
      cumulativeLost: -2,
      extendedHighestSequence: 0x10005,
      jitter: 9,
      lastSenderReport: 0xa0b0c0d0,
      delaySinceLastSenderReport: 65_536,
    };
    const packet = writeReceiverReport({ ssrc: 0xff, block, cname: "c", leaving: false });
    expect(packet.subarray(0, 32).toString("hex")).toBe(
      "81c90007000000ff0102030480fffffe0001000500000009a0b0c0d000010000",
    );
  });

  it("reads any bytes without failing", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        read(Buffer.from(bytes));
        read(Buffer.concat([Buffer.from([0x9f, 203, 0, 1]), bytes]));
      }),
    );
  });
});
