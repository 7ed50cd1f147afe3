import { expect, it } from "vitest";
import { PlaybackTimeline } from "../../../src/rtsp/server/playback-timeline.js";

function begun(scale = 1): PlaybackTimeline {
  const timeline = new PlaybackTimeline();
  timeline.begin({ scale, continues: false });
  return timeline;
}

it("the first frame has its recorded time, the others follow by their distance, less the scale", () => {
  const timeline = begun(2);
  expect([1000, 1100, 1050].map((us) => timeline.take(us, false))).toEqual([1000, 1050, 1025]);
});

it("after a jump times go on 40 ms after the newest", () => {
  const timeline = begun();
  timeline.take(1_000_000, false);
  timeline.take(1_080_000, false);
  timeline.take(1_040_000, false);
  expect(timeline.take(9_000_000, true)).toBe(1_120_000);
  expect(timeline.take(9_040_000, false)).toBe(1_160_000);
  expect(timeline.take(500_000, true)).toBe(1_200_000);
});

it("a time that is only asked for changes nothing", () => {
  const timeline = begun();
  timeline.take(1_000_000, false);
  timeline.begin({ scale: 1, continues: false });
  expect([timeline.at(5_000_000), timeline.at(6_000_000)]).toEqual([1_040_000, 1_040_000]);
  expect(timeline.take(5_000_000, false)).toBe(1_040_000);
});

it("a play that continues at the same scale goes on, at another one it begins behind the newest", () => {
  const timeline = begun();
  timeline.take(1_000_000, false);
  timeline.begin({ scale: 1, continues: true });
  expect(timeline.take(1_500_000, false)).toBe(1_500_000);
  timeline.begin({ scale: 4, continues: true });
  expect([timeline.take(1_600_000, false), timeline.take(1_640_000, false)]).toEqual([1_540_000, 1_550_000]);
});
