import { describe, expect, it } from "vitest";
import { REORDER_DELAY_MS_MAX, REORDER_PACKETS_MAX, ReorderBuffer } from "../../../src/rtsp/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { filler } from "../../support/media/sample-nal-units.js";
import { rtpPacket } from "../../support/rtsp/rtp-packets.js";

function reorder() {
  const clock = new SimulatedClock();
  const delivered: number[] = [];
  const buffer = new ReorderBuffer({
    clock,
    deliver: (packet, start) => delivered.push(packet.readUInt16BE(start + 2)),
  });
  const push = (sequence: number, ssrc = 1) => {
    const packet = rtpPacket({ sequence, ssrc }, filler(4));
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
    clock.advance(100_000);
    expect(delivered).toEqual([1, 3, 5]);
  });

  it("holds no more packets than its limit", () => {
    const { delivered, push, buffer } = reorder();
    push(0);
    for (let sequence = 2; sequence < 1000; sequence += 1) push(sequence);
    expect(buffer.heldPackets).toBeLessThanOrEqual(REORDER_PACKETS_MAX);
    expect(delivered.slice(0, 3)).toEqual([0, 2, 3]);
  });

  it("drops late packets and repeated ones", () => {
    const { delivered, push, buffer } = reorder();
    for (const sequence of [1, 2, 1, 4, 4, 3]) push(sequence);
    expect(delivered).toEqual([1, 2, 3, 4]);
    expect(buffer.latePackets).toBe(2);
  });

  it("passes stray packets of another SSRC through, and follows that SSRC when only it continues", () => {
    const { delivered, push } = reorder();
    push(1);
    push(500, 2);
    push(3);
    push(501, 2);
    push(2);
    for (const sequence of [600, 601, 602, 604, 603]) push(sequence, 2);
    expect(delivered).toEqual([1, 500, 501, 2, 3, 600, 601, 602, 603, 604]);
  });

  it("leaves no timer behind when it is closed", () => {
    const { clock, push, buffer } = reorder();
    push(1);
    push(3);
    buffer.close();
    expect(clock.timers).toBe(0);
  });
});
