import { describe, expect, it } from "vitest";
import { REORDER_DELAY_MS_MAX, REORDER_PACKETS_MAX, ReorderBuffer } from "../../../src/rtsp/index.js";
import { FIRST_WAIT_MS, REORDER_BYTES_MAX } from "../../../src/rtsp/rtp/reorder-buffer.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { filler } from "../../support/media/sample-nal-units.js";
import { rtpPacket } from "../../support/rtsp/rtp-packets.js";

function reorder({ payloadTypes }: { readonly payloadTypes?: ReadonlySet<number> } = {}) {
  const clock = new SimulatedClock();
  const delivered: number[] = [];
  const buffer = new ReorderBuffer({
    clock,
    payloadTypes,
    deliver: (packet, start) => delivered.push(packet.readUInt16BE(start + 2)),
  });
  const push = (sequence: number, ssrc = 1, payloadType = 96) => {
    const packet = rtpPacket({ sequence, ssrc, payloadType }, filler(4));
    buffer.push(packet, 0, packet.length);
  };
  return { clock, delivered, buffer, push };
}

describe("reordering of datagrams", () => {
  it("passes packets in sequence at once, over a wrap", () => {
    const { delivered, push } = reorder();
    for (const sequence of [65_534, 65_535, 0, 1]) push(sequence);
    expect(delivered).toEqual([65_534, 65_535, 0, 1]);
  });

  it("puts packets back into sequence", () => {
    const { delivered, push, buffer } = reorder();
    for (const sequence of [1, 4, 3, 2, 5]) push(sequence);
    expect(delivered).toEqual([1, 2, 3, 4, 5]);
    expect(buffer.heldPackets).toBe(0);
  });

  it("puts the first packets of a sequence that begins anew into order too", () => {
    const { clock, delivered, push } = reorder();
    for (const sequence of [1, 2, 3, 40_001, 40_000, 40_002, 9, 8, 10]) push(sequence);
    expect(delivered).toEqual([1, 2, 3, 40_000, 40_001, 40_002, 8, 9, 10]);
    push(30_000);
    clock.advance(FIRST_WAIT_MS * 1000);
    expect(delivered.at(-1)).toBe(30_000);
  });

  it("drops packets that come again although each has a source of its own", () => {
    const { delivered, push, buffer } = reorder();
    for (const sequence of [1, 2, 3, 4, 1, 2, 3, 4, 5, 6]) push(sequence, 100 + sequence);
    expect(delivered).toEqual([1, 2, 3, 4, 5, 6]);
    expect(buffer.latePackets).toBe(4);
  });

  it.each([
    ["two", [8, 7, 9], [7, 8, 9]],
    ["two over a wrap", [0, 65_535, 1], [65_535, 0, 1]],
    ["two with one between", [9, 7, 8, 10], [7, 8, 9, 10]],
  ])("puts the first %s into sequence", (_name, sent, sequence) => {
    const { clock, delivered, push, buffer } = reorder();
    for (const number of sent) push(number);
    expect(delivered).toEqual(sequence);
    expect(buffer.latePackets).toBe(0);
    expect(clock.timers).toBe(0);
  });

  it("begins with the first packet if the second has another number or source altogether", () => {
    const far = reorder();
    for (const number of [500, 40, 41]) far.push(number);
    expect(far.delivered).toEqual([500, 40, 41]);
    const other = reorder();
    other.push(8, 1);
    other.push(7, 2);
    other.clock.advance(FIRST_WAIT_MS * 1000);
    expect(other.delivered).toEqual([8]);
  });

  it("begins with a packet that the first has overtaken though a copy of another source came between", () => {
    const { delivered, push } = reorder();
    for (const [sequence, ssrc] of [
      [8, 1],
      [8, 2],
      [7, 1],
      [7, 2],
      [9, 1],
    ] as const)
      push(sequence, ssrc);
    expect(delivered).toEqual([7, 8, 9]);
  });

  describe("beside a source of other payload types", () => {
    const OWN = 96;
    const COPY = 111;
    const ofTypes = () => reorder({ payloadTypes: new Set([OWN]) });

    it("begins with the source of its own type, though each of the other's packets comes first", () => {
      const { clock, delivered, push, buffer } = ofTypes();
      for (let pair = 0; pair < 200; pair += 2) {
        for (const sequence of [pair + 1, pair]) {
          push(sequence, 77, COPY);
          push(sequence, 1, OWN);
        }
        clock.advance(20_000);
      }
      expect(delivered).toEqual(Array.from({ length: 200 }, (_, sequence) => sequence));
      expect(buffer.strayPackets).toBeGreaterThan(190);
    });

    it("turns to the source of its own type at once, where the other was followed", () => {
      const { clock, delivered, push } = ofTypes();
      push(500, 77, COPY);
      clock.advance(FIRST_WAIT_MS * 1000);
      push(7, 1, OWN);
      push(501, 77, COPY);
      push(8, 1, OWN);
      expect(delivered).toEqual([500, 7, 8]);
    });

    it("takes no packet of the other for the next one of its own", () => {
      const { clock, delivered, push } = ofTypes();
      push(7, 1, OWN);
      clock.advance(FIRST_WAIT_MS * 1000);
      push(8, 77, COPY);
      push(8, 1, OWN);
      expect(delivered).toEqual([7, 8]);
    });

    it("passes the other's packets where they are all that comes", () => {
      const { clock, delivered, push } = ofTypes();
      for (const sequence of [7, 8, 9]) push(sequence, 77, COPY);
      clock.advance(FIRST_WAIT_MS * 1000);
      expect(delivered).toEqual([7, 8, 9]);
    });
  });

  it("lets the very first packet wait for a moment alone, and no longer than to the end", () => {
    const { clock, delivered, push } = reorder();
    push(7);
    clock.advance((FIRST_WAIT_MS - 1) * 1000);
    expect(delivered).toEqual([]);
    clock.advance(1000);
    expect(delivered).toEqual([7]);
    expect(clock.timers).toBe(0);
    const ended = reorder();
    ended.push(7);
    ended.buffer.flush();
    expect(ended.delivered).toEqual([7]);
  });

  it("gives up a missing packet after the longest wait", () => {
    const { clock, delivered, push } = reorder();
    for (const sequence of [1, 3, 4]) push(sequence);
    clock.advance((REORDER_DELAY_MS_MAX - 1) * 1000);
    expect(delivered).toEqual([1]);
    clock.advance(1000);
    expect(delivered).toEqual([1, 3, 4]);
    expect(clock.timers).toBe(0);
  });

  it("gives each gap its own wait", () => {
    const { clock, delivered, push } = reorder();
    push(1);
    push(3);
    clock.advance(60_000);
    push(5);
    clock.advance(40_000);
    expect(delivered).toEqual([1, 3]);
    clock.advance(59_999);
    expect(delivered).toEqual([1, 3]);
    clock.advance(1);
    expect(delivered).toEqual([1, 3, 5]);
  });

  it("holds no more packets than its limit", () => {
    const { delivered, push, buffer } = reorder();
    push(0);
    for (let sequence = 2; sequence < 1000; sequence += 1) push(sequence);
    expect(buffer.heldPackets).toBeLessThanOrEqual(REORDER_PACKETS_MAX);
    expect(delivered.slice(0, 3)).toEqual([0, 2, 3]);
  });

  it("holds as many packets as its limit, and gives up a gap for one more", () => {
    const { delivered, push, buffer } = reorder();
    push(0);
    for (let sequence = 2; sequence < 2 + REORDER_PACKETS_MAX; sequence += 1) push(sequence);
    expect(delivered).toEqual([0]);
    expect(buffer.heldPackets).toBe(REORDER_PACKETS_MAX);
    push(2 + REORDER_PACKETS_MAX);
    expect(delivered).toHaveLength(2 + REORDER_PACKETS_MAX);
    expect(buffer.heldPackets).toBe(0);
  });

  it("holds as many bytes as its limit, and gives up a gap for one more", () => {
    const { delivered, buffer } = reorder();
    const send = (sequence: number, bytes: number) => {
      const packet = Buffer.alloc(bytes);
      rtpPacket({ sequence, ssrc: 1 }, Buffer.alloc(0)).copy(packet);
      buffer.push(packet, 0, packet.length);
    };
    send(0, 100);
    // What has left counts no more, however often.
    for (let sequence = 1; sequence < 101; sequence += 2) {
      send(sequence + 1, REORDER_BYTES_MAX / 2);
      send(sequence, 100);
    }
    expect(delivered).toHaveLength(101);
    for (const sequence of [102, 103]) send(sequence, REORDER_BYTES_MAX / 2);
    expect(delivered).toHaveLength(101);
    send(104, 12);
    expect(delivered.slice(101)).toEqual([102, 103, 104]);
  });

  it("gives up a gap whose packets came while the wait for another one ran", () => {
    const { clock, delivered, push, buffer } = reorder();
    for (const sequence of [1, 3]) push(sequence);
    clock.advance(60_000);
    push(5);
    clock.advance(10_000);
    push(2);
    expect(delivered).toEqual([1, 2, 3]);
    // The wait for 2 would be over; that for 4 began later, and lasts as long.
    clock.advance(REORDER_DELAY_MS_MAX * 1000 - 10_001);
    expect(delivered).toEqual([1, 2, 3]);
    clock.advance(1);
    expect(delivered).toEqual([1, 2, 3, 5]);
    expect([buffer.heldPackets, clock.timers]).toEqual([0, 0]);
  });

  it.each([2, 3, 7])(
    "holds nothing longer than the longest wait, whatever is lost: one packet of %i",
    (lost) => {
      const { clock, delivered, push, buffer } = reorder();
      const sentAtUs = new Map<number, number>();
      for (let sequence = 0; sequence < 200; sequence += 1) {
        if (sequence % lost !== 1) {
          sentAtUs.set(sequence, clock.monotonicUs());
          push(sequence);
        }
        clock.advance(10_000);
        const overdue = [...sentAtUs].filter(
          ([of, atUs]) =>
            clock.monotonicUs() - atUs >= REORDER_DELAY_MS_MAX * 1000 && !delivered.includes(of),
        );
        expect(overdue).toEqual([]);
      }
      clock.advance(REORDER_DELAY_MS_MAX * 2000);
      expect(delivered).toEqual([...sentAtUs.keys()]);
      expect([buffer.heldPackets, clock.timers]).toEqual([0, 0]);
    },
  );

  it("delivers what is held when it is flushed, other sources' packets last", () => {
    const { clock, delivered, push, buffer } = reorder();
    for (const sequence of [1, 3, 5]) push(sequence);
    for (const sequence of [600, 602]) push(sequence, 2);
    buffer.flush();
    expect(delivered).toEqual([1, 3, 5, 600, 602]);
    expect([buffer.heldPackets, buffer.strayPackets, clock.timers]).toEqual([0, 0, 0]);
  });

  it("passes on what is too short for RTP", () => {
    const lengths: number[] = [];
    const deliver = (_buffer: Buffer, start: number, end: number) => lengths.push(end - start);
    const buffer = new ReorderBuffer({ clock: new SimulatedClock(), deliver });
    for (const length of [0, 11]) buffer.push(Buffer.alloc(20), 4, 4 + length);
    expect(lengths).toEqual([0, 11]);
  });

  it("drops late packets and repeated ones", () => {
    const { delivered, push, buffer } = reorder();
    for (const sequence of [1, 2, 1, 4, 4, 3]) push(sequence);
    expect(delivered).toEqual([1, 2, 3, 4]);
    expect(buffer.latePackets).toBe(2);
  });

  it("leaves no timer behind when it is closed", () => {
    const { clock, push, buffer } = reorder();
    push(1);
    push(3);
    push(600, 2);
    buffer.close();
    expect([buffer.heldPackets, clock.timers]).toEqual([0, 0]);
  });
});

describe("a sequence that begins anew", () => {
  it.each([
    ["far behind", [60_000, 60_001, 10, 11, 12]],
    ["a little behind", [70, 71, 72, 0, 1, 2]],
    ["at its own newest packets", [70, 71, 72, 71, 72, 73]],
    ["by standing still", [7, 7, 7, 7]],
  ])("%s is believed at once, and nothing is dropped", (_name, sequences) => {
    const { delivered, buffer, clock } = reorder();
    sequences.forEach((sequence, index) => {
      const packet = rtpPacket({ sequence, ssrc: 1, timestamp: index * 3600 }, filler(40, index));
      buffer.push(packet, 0, packet.length);
    });
    expect(delivered).toEqual(sequences);
    expect(buffer.latePackets).toBe(0);
    expect(clock.timers).toBe(0);
  });

  it("is not believed of packets that come twice or late", () => {
    const { delivered, buffer, clock } = reorder();
    const send = (sequence: number) => {
      const packet = rtpPacket({ sequence, timestamp: sequence * 3600 }, filler(40, sequence));
      buffer.push(packet, 0, packet.length);
    };
    for (const sequence of [1, 2, 4, 5]) send(sequence);
    clock.advance(REORDER_DELAY_MS_MAX * 1000);
    for (const sequence of [3, 2, 5, 6]) send(sequence);
    expect(delivered).toEqual([1, 2, 4, 5, 6]);
    expect(buffer.latePackets).toBe(3);
  });
});

describe("packets of another SSRC", () => {
  it("are dropped as strays while the source goes on", () => {
    const { delivered, push, buffer, clock } = reorder();
    for (let index = 0; index < 50; index += 1) {
      push(index);
      push(5000 + index, 2);
      clock.advance(20_000);
    }
    expect(delivered).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(buffer.strayPackets).toBeGreaterThan(40);
  });

  it("are delivered, all of them, when the source is another one", () => {
    const { delivered, push, buffer, clock } = reorder();
    for (const sequence of [1, 2, 3]) push(sequence);
    clock.advance(40_000);
    for (const sequence of [600, 601, 603, 602]) push(sequence, 2);
    clock.advance(REORDER_DELAY_MS_MAX * 1000);
    push(604, 2);
    expect(delivered).toEqual([1, 2, 3, 600, 601, 602, 603, 604]);
    expect(buffer.strayPackets).toBe(0);
  });

  it("are no more than its limit while it is not clear", () => {
    const { delivered, push, buffer } = reorder();
    push(1);
    for (let index = 1; index < REORDER_PACKETS_MAX; index += 1) push(5000 + index, 2);
    expect(delivered).toEqual([1]);
    expect(buffer.heldPackets).toBe(REORDER_PACKETS_MAX - 1);
    push(5000 + REORDER_PACKETS_MAX, 2);
    expect(delivered).toHaveLength(1 + REORDER_PACKETS_MAX);
    expect(buffer.heldPackets).toBe(0);
  });

  it("are judged in their turn although the wait of others was under way", () => {
    const { clock, delivered, push, buffer } = reorder();
    for (const sequence of [1, 3]) push(sequence);
    clock.advance(60_000);
    push(600, 2);
    clock.advance(REORDER_DELAY_MS_MAX * 1000 - 60_000);
    expect(delivered).toEqual([1, 3]);
    clock.advance(60_000);
    expect(delivered).toEqual([1, 3, 600]);
    expect([buffer.heldPackets, clock.timers]).toEqual([0, 0]);
  });

  it("continue the sequence where their number is one of the next sixteen", () => {
    const { delivered, push, buffer, clock } = reorder();
    push(10);
    push(26, 2);
    expect(buffer.heldPackets).toBe(1);
    clock.advance(REORDER_DELAY_MS_MAX * 1000);
    expect(delivered).toEqual([10, 26]);
    push(27 + 16, 3);
    expect(delivered).toEqual([10, 26]);
  });

  it.each([
    ["are strays where the source went on in the newer half of the wait", 0, [1, 2], 1],
    ["are delivered where it went on before that", -1, [1, 2, 600], 0],
  ])("%s", (_name, afterHalfUs, expected, strays) => {
    const { delivered, push, buffer, clock } = reorder();
    push(1);
    push(600, 2);
    clock.advance((REORDER_DELAY_MS_MAX * 1000) / 2 + afterHalfUs);
    push(2);
    clock.advance(REORDER_DELAY_MS_MAX * 1000);
    expect(delivered).toEqual(expected);
    expect([buffer.strayPackets, buffer.heldPackets, clock.timers]).toEqual([strays, 0, 0]);
  });

  it("are delivered although a late packet of the source before comes between them", () => {
    const { delivered, push, clock } = reorder();
    push(1);
    push(600, 2);
    push(2);
    clock.advance(40_000);
    push(601, 2);
    clock.advance(REORDER_DELAY_MS_MAX * 1000);
    expect(delivered).toEqual([1, 2, 600, 601]);
  });

  describe("of a track that is sent from two sources in turn", () => {
    /** Packets of sources 1 and 2 in turn, each with a counter of its own. */
    const inTurn = (timestampOf: (index: number) => number, fillerOf = (index: number) => index) => {
      const { clock, delivered, buffer } = reorder();
      const sent: number[] = [];
      for (let index = 0; index < 60; index += 1) {
        const source = index % 2;
        const sequence = 20_000 * source + (index >> 1);
        const fields = { sequence, ssrc: 1 + source, timestamp: timestampOf(index) };
        const packet = rtpPacket(fields, filler(40, fillerOf(index)));
        buffer.push(packet, 0, packet.length);
        clock.advance(10_000);
        sent.push(sequence);
      }
      clock.advance(REORDER_DELAY_MS_MAX * 1000);
      return { delivered, sent, buffer };
    };

    it.each([
      ["a time each", (index: number) => index * 3600],
      ["a time for four", (index: number) => (index >> 2) * 3600],
      ["a time that stands still", () => 7],
    ])("are delivered in their order, with %s", (_name, timestampOf) => {
      const { delivered, sent, buffer } = inTurn(timestampOf);
      expect(delivered).toEqual(sent);
      expect(buffer.strayPackets).toBe(0);
    });

    it("are strays where their times are those of another clock", () => {
      const { delivered } = inTurn((index) => index * 3600 + (index % 2) * 2 ** 31);
      expect(delivered.every((sequence) => sequence < 20_000)).toBe(true);
    });

    it("are strays where they are copies", () => {
      const pairs = (index: number): number => (index >> 1) * 3600;
      const { delivered } = inTurn(pairs, (index) => index >> 1);
      expect(delivered.every((sequence) => sequence < 20_000)).toBe(true);
    });
  });

  it("are delivered when the source changes all the time", () => {
    const { delivered, push, clock } = reorder();
    const sent = Array.from({ length: 30 }, (_, index) => (index * 7919) % 65_536);
    for (const [index, sequence] of sent.entries()) push(sequence, index);
    clock.advance(REORDER_DELAY_MS_MAX * 1000);
    expect(delivered).toEqual(sent);
  });

  it("are the same source's at once where they continue its numbers", () => {
    const { delivered, push, buffer } = reorder();
    for (let index = 0; index < 10; index += 1) push(index, index % 2);
    expect(delivered).toHaveLength(10);
    expect(buffer.heldPackets).toBe(0);
  });

  it("never keep the session's own source waiting, nor drop it", () => {
    const { delivered, push, clock } = reorder();
    push(1);
    clock.advance(REORDER_DELAY_MS_MAX * 2000);
    push(500, 2);
    clock.advance(REORDER_DELAY_MS_MAX * 1000);
    push(501, 2);
    push(2);
    expect(delivered).toEqual([1, 500, 501, 2]);
  });
});
