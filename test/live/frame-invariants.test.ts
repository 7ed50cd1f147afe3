import { expect, it } from "vitest";
import { Codec, Frame, type FrameFields, Slab, SlabRange, StreamClock } from "../../src/live/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const SLAB_BYTES = 4096;
const FIELDS: Omit<FrameFields, "ranges"> = {
  format: { codec: Codec.H264, width: 0, height: 0, initialization: new Uint8Array(0) },
  decodeTimeUs: 1,
  presentationOffsetUs: 0,
  key: true,
  damaged: false,
  undecodable: false,
  discontinuity: false,
};

it.each([
  ["ends behind it", SLAB_BYTES - 10, 11],
  ["begins before it", -1, 10],
  ["has no bytes", 0, 0],
  ["has a length that is no number", 0, Number.NaN],
])("there is no frame that %s, and its slab is not leased", (_what, start, byteLength) => {
  const slab = new Slab(1, SLAB_BYTES, () => undefined);
  expect(() => new Frame(FIELDS, slab, start, byteLength)).toThrow(
    expect.objectContaining({ code: "frame-in-slab" }),
  );
  expect(slab.leases).toBe(0);
});

it("there is no range behind the end of its slab", () => {
  const slab = new Slab(1, SLAB_BYTES, () => undefined);
  expect(() => new SlabRange(slab, SLAB_BYTES - 1, 2)).toThrow(
    expect.objectContaining({ code: "frame-in-slab" }),
  );
  expect(new SlabRange(slab, SLAB_BYTES - 1, 1).byteLength).toBe(1);
});

it.each([Number.NaN, Number.POSITIVE_INFINITY])("no frame gets a time of media time %d", (mediaUs) => {
  const streamClock = new StreamClock(new SimulatedClock());
  const track = streamClock.openTrack("video");
  const timeUs = track.stamp(0)?.timeUs ?? 0;
  expect(() => track.stamp(mediaUs)).toThrow(expect.objectContaining({ code: "frame-time" }));
  expect(streamClock.lastUs("video")).toBe(timeUs);
});
