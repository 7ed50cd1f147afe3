import { describe, expect, it } from "vitest";
import { RtpReceiver, type RtpReceiverOptions } from "../../../src/rtsp/index.js";
import { PAYLOAD_TYPE_SILENCE_US } from "../../../src/rtsp/rtp/rtp-receiver.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { filler } from "../../support/media/sample-nal-units.js";
import { type RtpFields, rtpPacket } from "../../support/rtsp/rtp-packets.js";

const NO_SENDER_REPORT = { lastSenderReport: 0, delaySinceLastSenderReport: 0 };

interface Seen {
  readonly sequence: number;
  readonly lost: number;
  readonly payload: string;
}

function receiver(options: Partial<RtpReceiverOptions> = {}) {
  const clock = new SimulatedClock();
  const seen: Seen[] = [];
  const rtp = new RtpReceiver({
    payloadType: 96,
    keepsOrder: false,
    clockRate: 90_000,
    clock,
    onPacket: (packet) => {
      const payload = packet.buffer.subarray(packet.payloadStart, packet.payloadEnd).toString("hex");
      seen.push({ sequence: packet.sequence, lost: packet.lost, payload });
    },
    ...options,
  });
  const send = (fields: RtpFields, payload: Buffer = filler(4)) => {
    const packet = rtpPacket(fields, payload);
    rtp.receive(packet, 0, packet.length);
  };
  return { rtp, seen, send, clock };
}

describe("RTP headers", () => {
  it("leaves CSRCs, extension and padding out of the payload", () => {
    const { seen, send } = receiver();
    for (const sequence of [1, 2])
      send({ sequence, csrc: 3, extension: Buffer.alloc(8), padding: 5 }, filler(10));
    expect(seen.map(({ payload }) => payload)).toEqual([
      filler(10).toString("hex"),
      filler(10).toString("hex"),
    ]);
  });

  it("holds the first packets back until lists of sources that change with each show that there are none", () => {
    const { seen, send } = receiver();
    const payloads = [1, 2, 3, 4].map((seed) => filler(20, seed));
    for (const [sequence, payload] of payloads.entries()) send({ sequence, csrcCount: 3 }, payload);
    expect(seen.map(({ payload }) => payload)).toEqual(payloads.map((payload) => payload.toString("hex")));
  });

  it("drops and counts CSRCs beyond the packet where sources are listed", () => {
    const { rtp, seen, send } = receiver();
    for (const sequence of [1, 2]) send({ sequence, csrc: 3 });
    send({ sequence: 3, csrcCount: 15 }, filler(8));
    expect([seen.length, rtp.statistics.malformed]).toEqual([2, 1]);
  });

  it.each([
    ["another version", Buffer.concat([Buffer.from([0x40]), rtpPacket({}, filler(8)).subarray(1)])],
    ["too few bytes", rtpPacket({}, Buffer.alloc(0)).subarray(0, 11)],
  ])("drops and counts %s", (_name, packet) => {
    const { rtp, seen } = receiver();
    rtp.receive(packet, 0, packet.length);
    expect(seen).toHaveLength(0);
    expect(rtp.statistics.malformed).toBe(1);
  });

  it.each([
    ["padding", 0x20],
    ["a header extension", 0x10],
    ["both", 0x30],
  ])(
    "leaves a payload whole where the bit of %s is set in vain, whatever stands in the place of the length",
    (_name, bits) => {
      const { rtp, seen } = receiver();
      const payloads = Array.from({ length: 300 }, (_, at) =>
        Buffer.from([0x7c, 0x05, 0xff - (at % 16), at & 0xff, ...filler(40 + at), at & 0xff]),
      );
      for (const [sequence, payload] of payloads.entries()) {
        const packet = rtpPacket({ sequence }, payload);
        packet[0] = (packet[0] ?? 0) | bits;
        rtp.receive(packet, 0, packet.length);
      }
      const cut = payloads.filter((payload, at) => payload.toString("hex") !== seen[at]?.payload);
      // Before the first length that cannot be, one that can be is believed.
      expect(cut.length).toBeLessThanOrEqual(4);
      expect(seen).toHaveLength(payloads.length);
      expect(rtp.statistics.malformed).toBe(0);
    },
  );

  it("takes an extension of zeros alone, without words, out of the payload", () => {
    const { seen, send } = receiver();
    for (let sequence = 0; sequence < 3; sequence += 1)
      send({ sequence, extension: Buffer.alloc(0), extensionProfile: 0 }, filler(10));
    expect(seen.map(({ payload }) => payload)).toEqual(Array(3).fill(filler(10).toString("hex")));
  });

  it("takes no zeros for a header extension where payloads begin so, as pictures of JPEG do", () => {
    const { seen, rtp } = receiver({ zerosBegin: true });
    const packet = rtpPacket({}, Buffer.from("0000000001ff1410", "hex"));
    packet[0] = (packet[0] ?? 0) | 0x10;
    rtp.receive(packet, 0, packet.length);
    expect(seen.map(({ payload }) => payload)).toEqual(["0000000001ff1410"]);
  });

  it("takes padding and extensions out, whatever came in their place once", () => {
    const { rtp, seen, send } = receiver();
    for (let sequence = 0; sequence < 3; sequence += 1)
      send({ sequence, extension: Buffer.alloc(8), extensionProfile: 0xbede, padding: 8 }, filler(10));
    const odd = Buffer.concat([
      Buffer.from([0x90]),
      rtpPacket({ sequence: 3 }, Buffer.from([0, 0, 0xff, 0xff])).subarray(1),
    ]);
    rtp.receive(odd, 0, odd.length);
    send({ sequence: 4, extension: Buffer.alloc(8), extensionProfile: 0xbede, padding: 8 }, filler(10));
    const whole = filler(10).toString("hex");
    expect(seen.map(({ payload }) => payload)).toEqual([whole, whole, whole, "0000ffff", whole]);
  });

  it("drops and counts another payload type beside the track's own, without taking its number for a lost packet", () => {
    const { rtp, seen, send } = receiver();
    send({ sequence: 1 });
    send({ sequence: 2, payloadType: 97 });
    send({ sequence: 3 });
    expect(seen.map(({ sequence, lost }) => [sequence, lost])).toEqual([
      [1, 0],
      [3, 0],
    ]);
    expect(rtp.statistics.wrongPayloadType).toBe(1);
  });

  it("takes another payload type where the announced one does not come, and that again as soon as it comes", () => {
    const { seen, send } = receiver();
    send({ sequence: 1, payloadType: 97 });
    send({ sequence: 2, payloadType: 97 });
    send({ sequence: 3 });
    send({ sequence: 4, payloadType: 97 });
    expect(seen.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it("takes another payload type when nothing of the track's own has come for a while", () => {
    const { rtp, seen, send, clock } = receiver();
    send({ sequence: 1 });
    send({ sequence: 2, payloadType: 97 });
    clock.advance(PAYLOAD_TYPE_SILENCE_US - 1);
    send({ sequence: 3, payloadType: 97 });
    clock.advance(1);
    send({ sequence: 4, payloadType: 97 });
    expect(seen.map(({ sequence, lost }) => [sequence, lost])).toEqual([1, 2, 3, 4].map((one) => [one, 0]));
    expect(rtp.statistics.wrongPayloadType).toBe(0);
  });

  it("takes another payload type at once when more of it follow than anything but the track has", () => {
    const { seen, send } = receiver();
    send({ sequence: 1 });
    for (let sequence = 2; sequence <= 300; sequence += 1) send({ sequence, payloadType: 97 });
    expect(seen.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
  });

  it("tells when packets came that were withheld until they were known to be the track's", () => {
    const came: (number | undefined)[] = [];
    const { send, clock, rtp } = receiver({ onPacket: () => came.push(rtp.heldSinceUs) });
    const startUs = clock.monotonicUs();
    send({ sequence: 1 });
    for (let sequence = 2; sequence <= 4; sequence += 1) {
      send({ sequence, payloadType: 97, timestamp: sequence });
      clock.advance(PAYLOAD_TYPE_SILENCE_US / 2);
    }
    expect(came).toEqual([undefined, startUs, startUs + PAYLOAD_TYPE_SILENCE_US / 2, undefined]);
    expect(rtp.newestArrivedUs).toBe(startUs + PAYLOAD_TYPE_SILENCE_US);
  });

  it("never takes a payload type that RTCP has", () => {
    const { seen, send } = receiver();
    send({ payloadType: 72 });
    expect(seen).toHaveLength(0);
  });
});

describe("RTP sequence", () => {
  it("counts missing packets directly before the next one, over a wrap", () => {
    const { seen, send, rtp } = receiver();
    for (const sequence of [65_533, 65_534, 1, 2]) send({ sequence });
    expect(seen.map((packet) => packet.lost)).toEqual([0, 0, 2, 0]);
    expect(rtp.statistics).toMatchObject({ cumulativeLost: 2, lost: 2, extendedHighestSequence: 65_538 });
  });

  it.each([
    ["begins anew", [10, 11, 30_000, 30_001, 0, 1]],
    ["goes back a little", [100, 101, 98, 99, 100]],
    ["stands still", [7, 7, 7, 7]],
  ])("that %s is believed at once, and nothing is lost", (_name, sequences) => {
    for (const keepsOrder of [true, false]) {
      const { seen, send } = receiver({ keepsOrder });
      for (const [index, sequence] of sequences.entries()) send({ sequence }, Buffer.alloc(20, index));
      expect(seen.map(({ sequence, lost }) => [sequence, lost])).toEqual(sequences.map((one) => [one, 0]));
    }
  });

  it.each([1, 4, 15, 16, 17, 1400])("takes a packet of %s bytes that comes again over TCP once", (bytes) => {
    const { seen, send, rtp } = receiver({ keepsOrder: true });
    for (const sequence of [1, 2, 2, 3, 3, 2, 3, 4]) send({ sequence }, filler(bytes));
    expect(seen.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(rtp.statistics).toMatchObject({ repeated: 4, lost: 0, skipped: 0, restarts: 0 });
  });

  it.each([
    ["count down", (at: number) => ({ sequence: 40_000 - at })],
    ["have their bytes swapped", (at: number) => ({ sequence: (at << 8) | (at >> 8) })],
    ["come from two counters", (at: number) => ({ ssrc: at % 2, sequence: 30_000 * (at % 2) + (at >> 1) })],
    ["come with another source each", (at: number) => ({ ssrc: at, sequence: at })],
  ])("takes many packets in a row that come again over TCP once where numbers %s", (_name, fieldsOf) => {
    const { seen, send, rtp } = receiver({ keepsOrder: true });
    const all = Array.from({ length: 60 }, (_, at) => at);
    for (const first of all.filter((at) => at % 12 === 0))
      for (const at of [...all.slice(first, first + 12), ...all.slice(first, first + 12)])
        send(fieldsOf(at), Buffer.alloc(40, at));
    const payloads = all.map((at) => Buffer.alloc(40, at).toString("hex"));
    expect(seen.map(({ payload }) => payload)).toEqual(payloads);
    expect(rtp.statistics.repeated).toBe(60);
  });

  it.each([
    ["byte", {}, (payload: Buffer) => payload.fill(9, 700, 701)],
    ["timestamp", { timestamp: 9 }, (payload: Buffer) => payload],
    ["marker", { marker: true }, (payload: Buffer) => payload],
    ["length", {}, (payload: Buffer) => payload.subarray(1)],
  ])("takes a packet that has the number of another one and another %s", (_name, fields, change) => {
    const { seen, send } = receiver({ keepsOrder: true });
    // One that comes again is what makes all bytes count.
    for (const sequence of [1, 1, 2]) send({ sequence }, Buffer.alloc(1400, 1));
    send({ sequence: 2, ...fields }, change(Buffer.alloc(1400, 1)));
    expect(seen.map(({ sequence }) => sequence)).toEqual([1, 2, 2]);
  });

  it("that stands still with equal payloads, as those of silence, leaves no packet out any more", () => {
    const { seen, send } = receiver({ keepsOrder: true });
    for (let count = 0; count < 50; count += 1) send({ sequence: 7 }, Buffer.alloc(160, 0xff));
    expect(seen.length).toBeGreaterThanOrEqual(46);
  });

  it("that begins anew for ever with equal packets, as those of silence, leaves no packet out any more", () => {
    const { seen, send } = receiver({ keepsOrder: true });
    for (let count = 0; count < 500; count += 1) send({ sequence: count % 25 }, Buffer.alloc(160, 0xff));
    expect(seen.length).toBeGreaterThanOrEqual(500 - 2 * 25);
  });

  it("that stands still once does so for good: equal payloads behind it are other packets", () => {
    const { seen, send } = receiver({ keepsOrder: true });
    for (const fill of [1, 2, 2, 2, 3, 3]) send({ sequence: 7 }, Buffer.alloc(160, fill));
    expect(seen).toHaveLength(6);
  });

  it("forgets what it knew of packets where one was of another payload type", () => {
    const { seen, send } = receiver({ keepsOrder: true });
    send({ sequence: 1 });
    send({ sequence: 2, payloadType: 99 });
    for (const sequence of [3, 2, 3]) send({ sequence });
    expect(seen.map(({ sequence }) => sequence)).toEqual([1, 3, 2, 3]);
  });

  it("that leaves numbers out is no loss where the transport loses nothing: they are counted apart", () => {
    const { seen, send, rtp } = receiver({ keepsOrder: true });
    for (const sequence of [10, 12, 15]) send({ sequence });
    expect(seen.map(({ lost }) => lost)).toEqual([0, 0, 0]);
    expect(rtp.statistics).toMatchObject({ lost: 0, skipped: 3, restarts: 0 });
  });

  it("reports fraction lost for the interval and jitter (RFC 3550, A.3 and A.8)", () => {
    const { rtp, send, clock } = receiver();
    for (let sequence = 0; sequence < 10; sequence += 1) {
      if (sequence !== 4) send({ sequence, timestamp: sequence * 3600 });
      clock.advance(40_000);
    }
    expect(rtp.receptionReport(NO_SENDER_REPORT)).toMatchObject({
      fractionLost: 25,
      cumulativeLost: 1,
      jitter: 0,
      ssrc: 0x1234,
    });
    clock.advance(16_000);
    send({ sequence: 10, timestamp: 36_000 });
    expect(rtp.receptionReport(NO_SENDER_REPORT)).toMatchObject({
      fractionLost: 0,
      cumulativeLost: 1,
      jitter: 90,
    });
  });
});

describe("RTP sources", () => {
  it("are believed at once, with their numbers, and nothing is lost between them", () => {
    const { seen, send, rtp } = receiver({ ssrc: 7 });
    send({ ssrc: 7, sequence: 5 });
    for (const sequence of [100, 101]) send({ ssrc: 2, sequence });
    send({ ssrc: 3, sequence: 9 });
    expect(seen.map(({ sequence, lost }) => [sequence, lost])).toEqual([
      [5, 0],
      [100, 0],
      [101, 0],
      [9, 0],
    ]);
    expect(rtp.statistics).toMatchObject({ ssrc: 3, restarts: 2, lost: 0 });
  });

  it("that change with each packet lose nothing", () => {
    const { seen, send } = receiver();
    for (let ssrc = 0; ssrc < 20; ssrc += 1) send({ ssrc, sequence: (ssrc * 7919) % 65_536 });
    expect(seen).toHaveLength(20);
  });
});
