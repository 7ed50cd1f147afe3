import { describe, expect, it } from "vitest";
import { RtpReceiver, type RtpReceiverOptions } from "../../../src/rtsp/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { filler } from "../../support/media/sample-nal-units.js";
import { type RtpFields, rtpPacket } from "../../support/rtsp/rtp-packets.js";

interface Seen {
  readonly sequence: number;
  readonly lost: number;
  readonly payload: string;
}

function receiver(options: Partial<RtpReceiverOptions> = {}) {
  const clock = new SimulatedClock();
  const seen: Seen[] = [];
  let changes = 0;
  const rtp = new RtpReceiver({
    payloadType: 96,
    clockRate: 90_000,
    clock,
    onPacket: (packet) => {
      const payload = packet.buffer.subarray(packet.payloadStart, packet.payloadEnd).toString("hex");
      seen.push({ sequence: packet.sequence, lost: packet.lost, payload });
    },
    onSourceChange: () => {
      changes += 1;
    },
    ...options,
  });
  const send = (fields: RtpFields, payload: Buffer = filler(4)) => {
    const packet = rtpPacket(fields, payload);
    rtp.receive(packet, 0, packet.length);
  };
  return { rtp, seen, send, clock, changes: () => changes };
}

describe("RTP headers", () => {
  it("leaves CSRCs, extension and padding out of the payload", () => {
    const { seen, send } = receiver();
    send({ csrc: 3, extension: Buffer.alloc(8), padding: 5 }, filler(10));
    expect(seen[0]?.payload).toBe(filler(10).toString("hex"));
  });

  it.each([
    ["padding beyond the packet", rtpPacket({ padding: 4, paddingCount: 250 }, filler(4))],
    [
      "an extension beyond the packet",
      Buffer.concat([Buffer.from([0x90]), rtpPacket({}, Buffer.from([0, 0, 0xff, 0xff])).subarray(1)]),
    ],
    ["CSRCs beyond the packet", Buffer.concat([Buffer.from([0x8f]), rtpPacket({}, filler(8)).subarray(1)])],
    ["another version", Buffer.concat([Buffer.from([0x40]), rtpPacket({}, filler(8)).subarray(1)])],
    ["too few bytes", rtpPacket({}, Buffer.alloc(0)).subarray(0, 11)],
  ])("drops and counts %s", (_name, packet) => {
    const { rtp, seen } = receiver();
    rtp.receive(packet, 0, packet.length);
    expect(seen).toHaveLength(0);
    expect(rtp.statistics.malformed).toBe(1);
  });

  it("drops and counts another payload type", () => {
    const { rtp, seen, send } = receiver();
    send({ payloadType: 97 });
    expect(seen).toHaveLength(0);
    expect(rtp.statistics.wrongPayloadType).toBe(1);
  });
});

describe("RTP sequence", () => {
  it("counts missing packets directly before the next one, over a wrap", () => {
    const { seen, send, rtp } = receiver();
    for (const sequence of [65_533, 65_534, 1, 2]) send({ sequence });
    expect(seen.map((packet) => packet.lost)).toEqual([0, 0, 2, 0]);
    expect(rtp.statistics).toMatchObject({ cumulativeLost: 2, lost: 2, extendedHighestSequence: 65_538 });
  });

  it("drops duplicates and late packets", () => {
    const { seen, send, rtp } = receiver();
    for (const sequence of [10, 12, 12, 11, 13]) send({ sequence });
    expect(seen.map((packet) => packet.sequence)).toEqual([10, 12, 13]);
    expect(rtp.statistics.duplicates).toBe(2);
  });

  it("follows a source that restarts its sequence, after two packets in order", () => {
    const { seen, send } = receiver();
    for (const sequence of [10, 11, 30_000, 30_001, 30_002]) send({ sequence });
    expect(seen.map((packet) => [packet.sequence, packet.lost])).toEqual([
      [10, 0],
      [11, 0],
      [30_001, 1],
      [30_002, 0],
    ]);
  });

  it("reports fraction lost for the interval and jitter (RFC 3550, A.3 and A.8)", () => {
    const { rtp, send, clock } = receiver();
    for (let sequence = 0; sequence < 10; sequence += 1) {
      if (sequence !== 4) send({ sequence, timestamp: sequence * 3600 });
      clock.advance(40_000);
    }
    expect(rtp.receptionReport()).toMatchObject({
      fractionLost: 25,
      cumulativeLost: 1,
      jitter: 0,
      ssrc: 0x1234,
    });
    clock.advance(16_000);
    send({ sequence: 10, timestamp: 36_000 });
    expect(rtp.receptionReport()).toMatchObject({ fractionLost: 0, cumulativeLost: 1, jitter: 90 });
  });
});

describe("RTP sources", () => {
  it("drops data of an earlier session: an SSRC other than SETUP announced", () => {
    const { rtp, seen, send, changes } = receiver({ ssrc: 7 });
    for (let sequence = 0; sequence < 20; sequence += 1) {
      send({ ssrc: 99, sequence: 500 + sequence });
      send({ ssrc: 7, sequence });
    }
    expect(seen.map((packet) => packet.sequence)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(rtp.statistics.wrongSsrc).toBe(20);
    expect(changes()).toBe(0);
  });

  it("adopts another SSRC when only that continues, in sequence", () => {
    const { seen, send, changes } = receiver();
    send({ ssrc: 1, sequence: 5 });
    for (const sequence of [100, 101, 102, 103, 104]) send({ ssrc: 2, sequence });
    expect(seen.map((packet) => packet.sequence)).toEqual([5, 103, 104]);
    expect(changes()).toBe(1);
  });

  it("does not adopt an SSRC out of sequence", () => {
    const { seen, send } = receiver({ ssrc: 1 });
    for (const sequence of [100, 300, 500, 700, 900]) send({ ssrc: 2, sequence });
    expect(seen).toHaveLength(0);
  });

  it("returns to the announced SSRC at once", () => {
    const { seen, send } = receiver({ ssrc: 1 });
    for (const sequence of [100, 101, 102, 103]) send({ ssrc: 2, sequence });
    send({ ssrc: 1, sequence: 7 });
    expect(seen.map((packet) => packet.sequence)).toEqual([103, 7]);
  });
});
