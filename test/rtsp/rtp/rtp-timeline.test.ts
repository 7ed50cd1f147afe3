import { expect, it } from "vitest";
import { RtpTimeline } from "../../../src/rtsp/rtp/rtp-timeline.js";

it("counts from the first timestamp, by the clock rate, back as well as ahead", () => {
  const timeline = new RtpTimeline(90_000);
  expect(timeline.isRunning).toBe(false);
  expect([5000, 95_000, 50_000, 140_000].map((at) => timeline.mediaUs(at))).toEqual([
    ...[0, 1_000_000, 500_000, 1_500_000],
  ]);
  expect(timeline.isRunning).toBe(true);
});

it("a step counts as the shorter way round", () => {
  const timeline = new RtpTimeline(1_000_000);
  timeline.mediaUs(0xffff_ff00);
  expect(timeline.mediaUs(0x100)).toBe(0x200);
  expect(timeline.mediaUs(0xffff_ff80)).toBe(0x80);
  const half = new RtpTimeline(1_000_000);
  half.mediaUs(0);
  expect(half.mediaUsNear(0x7fff_ffff)).toBe(0x7fff_ffff);
  expect(half.mediaUsNear(0x8000_0000)).toBe(-0x8000_0000);
});

it("a time that is only asked for changes nothing; a restart begins anew", () => {
  const timeline = new RtpTimeline(1_000_000);
  timeline.mediaUs(100);
  timeline.mediaUs(300);
  expect([timeline.mediaUsNear(350), timeline.mediaUsNear(350), timeline.mediaUsNear(250)]).toEqual([
    250, 250, 150,
  ]);
  timeline.restart();
  expect([timeline.isRunning, timeline.mediaUs(900), timeline.mediaUs(1000)]).toEqual([false, 0, 100]);
});

it.each([0, -1, Number.NaN])("a clock rate of %s is refused", (rate) => {
  expect(() => new RtpTimeline(rate)).toThrow(RangeError);
});
