import { expect, test } from "vitest";
import { newGuid } from "../../src/base/index.js";
import { Frame, type FrameFields, GOP_FRAMES_MAX, LiveStream, SlabPool } from "../../src/live/index.js";
import { KeptGop } from "../../src/live/kept-gop.js";
import { syntheticFrame, TEST_VIDEO_FORMAT } from "../support/media/synthetic-frames.js";

const FIELDS: Omit<FrameFields, "ranges"> = {
  format: TEST_VIDEO_FORMAT,
  decodeTimeUs: 1_790_000_000_123_456,
  presentationOffsetUs: 80_000,
  key: true,
  damaged: false,
  undecodable: false,
  discontinuity: true,
};

/** All that a frame is. */
function described(frame: Frame) {
  const { format, decodeTimeUs, presentationOffsetUs, key, damaged, undecodable, discontinuity } = frame;
  const flags = { key, damaged, undecodable, discontinuity };
  const ranges = frame.ranges.map(({ slab, bytes }) => ({ slab: slab?.id, bytes: [...bytes] }));
  return { format, decodeTimeUs, presentationOffsetUs, flags, ranges, byteLength: frame.byteLength };
}

test("a kept frame is handed out as it was taken, from slabs and from memory of its own", () => {
  const pool = new SlabPool({ slabBytes: 1024, totalBytesMax: 64 * 1024 });
  const gop = new KeptGop();
  const taken: ReturnType<typeof described>[] = [];
  for (let at = 0; at < 200; at++) {
    const slab = pool.take() ?? expect.fail("no slab");
    slab.bytes.fill(at, 0, 100);
    const own = { slab: undefined, bytes: Uint8Array.of(0, 0, 0, 1, at) };
    const [first, second] = [slab.bytes.subarray(3, 10 + (at % 7)), slab.bytes.subarray(50, 51)];
    const ranges = [own, { slab, bytes: first }, { slab, bytes: second }].slice(at % 3 === 0 ? 1 : 0);
    const decodeTimeUs = FIELDS.decodeTimeUs + at * 40_000;
    const flags = { key: at === 0, damaged: at % 2 === 1, discontinuity: at === 0 };
    const frame = new Frame({ ...FIELDS, ...flags, decodeTimeUs, ranges });
    slab.release();
    taken.push(described(frame));
    gop.push(frame);
    frame.release();
    if (at % 50 === 49) {
      const handedOut = Array.from({ length: gop.length }, (_, index) => gop.frame(index));
      expect(handedOut.map(described)).toEqual(taken);
      for (const one of handedOut) one.release();
      gop.clear();
      taken.length = 0;
    }
  }
});

test("a slab is kept for the GOP alone, and for whom a frame was handed out to after that", () => {
  const pool = new SlabPool({ slabBytes: 1024, totalBytesMax: 64 * 1024 });
  const slab = pool.take() ?? expect.fail("no slab");
  const gop = new KeptGop();
  const frame = new Frame({ ...FIELDS, ranges: [{ slab, bytes: slab.bytes.subarray(0, 10) }] });
  gop.push(frame);
  frame.release();
  slab.release();
  expect(slab.leases).toBe(1);
  const handedOut = gop.frame(0);
  gop.clear();
  expect(slab.leases).toBe(1);
  expect(handedOut.copyBytes()).toHaveLength(10);
  handedOut.release();
  expect(slab.leases).toBe(0);
  expect(() => gop.frame(0)).toThrow(RangeError);
});

test("frames that are asked for are leased until the call returns, and by those who retain them", () => {
  const stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
  stream.publish(syntheticFrame({ decodeTimeUs: 1, key: true }));
  stream.publish(syntheticFrame({ decodeTimeUs: 2 }));
  const [key, other] = stream.withGop((frames) => {
    frames[0]?.retain();
    return frames;
  });
  expect([key?.decodeTimeUs, other?.decodeTimeUs]).toEqual([1, 2]);
  expect(() => other?.retain()).toThrow("after its last release");
  key?.release();
  expect(() => key?.release()).toThrow("more often");
});

test("a GOP of too many frames is dropped, however small they are", () => {
  const stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
  stream.publish(syntheticFrame({ decodeTimeUs: 0, key: true }));
  for (let at = 1; at < GOP_FRAMES_MAX; at++) stream.publish(syntheticFrame({ decodeTimeUs: at }));
  expect(stream.gopLength).toBe(GOP_FRAMES_MAX);
  stream.publish(syntheticFrame({ decodeTimeUs: GOP_FRAMES_MAX }));
  expect(stream.gopLength).toBe(0);
});
