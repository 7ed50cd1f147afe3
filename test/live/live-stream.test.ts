import { expect, test } from "vitest";
import { newGuid } from "../../src/base/index.js";
import { type Frame, type FrameSink, GOP_BYTES_MAX, LiveStream, SlabPool } from "../../src/live/index.js";
import { slabFrame, syntheticFrame } from "../support/media/synthetic-frames.js";

class Collector implements FrameSink {
  readonly times: number[] = [];
  onFrame(frame: Frame): void {
    this.times.push(frame.decodeTimeUs);
  }
}

function makeStream(): LiveStream {
  return new LiveStream({ channelId: newGuid(), streamType: "Main" });
}

function makePool(): SlabPool {
  return new SlabPool({ slabBytes: 1024, totalBytesMax: 64 * 1024 });
}

test("a new viewer gets the current GOP first, then what follows", () => {
  const stream = makeStream();
  for (const [at, key] of [
    [1, true],
    [2, false],
    [3, true],
    [4, false],
  ] as const)
    stream.publish(syntheticFrame({ decodeTimeUs: at, key }));
  const viewer = new Collector();
  stream.subscribe(viewer, { fromGop: true, atOnce: true });
  stream.publish(syntheticFrame({ decodeTimeUs: 5 }));
  expect(viewer.times).toEqual([3, 4, 5]);
});

test("frames before the first key frame are handed out but not kept", () => {
  const stream = makeStream();
  const early = new Collector();
  stream.subscribe(early, { fromGop: true, atOnce: false });
  stream.publish(syntheticFrame({ decodeTimeUs: 1 }));
  expect(early.times).toEqual([1]);
  expect(stream.gop).toEqual([]);
});

test("a closed subscription gets no further frames", () => {
  const stream = makeStream();
  const viewer = new Collector();
  const subscription = stream.subscribe(viewer, { fromGop: false, atOnce: false });
  stream.publish(syntheticFrame({ decodeTimeUs: 1, key: true }));
  subscription.close();
  subscription.close();
  stream.publish(syntheticFrame({ decodeTimeUs: 2 }));
  expect(viewer.times).toEqual([1]);
});

test("the kept GOP holds its slabs until the next key frame", () => {
  const stream = makeStream();
  const pool = makePool();
  const first = slabFrame(pool, { decodeTimeUs: 1, key: true, byteLength: 100 });
  stream.publish(first.frame);
  expect(first.slab.leases).toBe(1);
  stream.publish(slabFrame(pool, { decodeTimeUs: 2, key: true, byteLength: 100 }).frame);
  expect(first.slab.leases).toBe(0);
});

test("leaving `active` drops the kept GOP", () => {
  const stream = makeStream();
  const { frame, slab } = slabFrame(makePool(), { decodeTimeUs: 1, key: true, byteLength: 100 });
  stream.setState({ state: "active" });
  stream.publish(frame);
  stream.setState({ state: "lost", reason: "unplugged" });
  expect(stream.gop).toEqual([]);
  expect(slab.leases).toBe(0);
});

test("a sink that throws is removed and notified; the frame's lease is released and the others get it", async () => {
  const stream = makeStream();
  let dropped = 0;
  const broken = {
    onFrame: () => {
      throw new Error("out of order");
    },
    onDropped: () => {
      dropped += 1;
    },
  };
  stream.subscribe(broken, { fromGop: false, atOnce: true });
  const sound = new Collector();
  stream.subscribe(sound, { fromGop: false, atOnce: false });
  const pool = new SlabPool({ slabBytes: 4096, totalBytesMax: 8192 });
  const { frame, slab } = slabFrame(pool, { decodeTimeUs: 1, byteLength: 10 });
  stream.publish(frame);
  await Promise.resolve();
  expect([dropped, stream.subscribers, stream.atOnce]).toEqual([1, 1, 0]);
  expect(sound.times).toEqual([1]);
  expect(slab.leases).toBe(0);
});

test("an undecodable frame ends the kept GOP", () => {
  const stream = makeStream();
  stream.publish(syntheticFrame({ decodeTimeUs: 1, key: true }));
  stream.publish(syntheticFrame({ decodeTimeUs: 2, damaged: true, undecodable: true }));
  stream.publish(syntheticFrame({ decodeTimeUs: 3 }));
  expect(stream.gop).toEqual([]);
});

test("a damaged frame that can be decoded stays in the kept GOP", () => {
  const stream = makeStream();
  stream.publish(syntheticFrame({ decodeTimeUs: 1, key: true }));
  stream.publish(syntheticFrame({ decodeTimeUs: 2, damaged: true }));
  expect(stream.gop).toHaveLength(2);
});

test("a GOP beyond its limit is dropped", () => {
  const stream = makeStream();
  const half = new Uint8Array(GOP_BYTES_MAX / 2 + 1);
  stream.publish(syntheticFrame({ decodeTimeUs: 1, key: true, bytes: half }));
  stream.publish(syntheticFrame({ decodeTimeUs: 2, bytes: half }));
  expect(stream.gop).toEqual([]);
});

test("demand reports subscribers, and how many want frames at once", () => {
  const stream = makeStream();
  const seen: string[] = [];
  stream.onDemand({ onDemand: (demand) => seen.push(`${demand.subscribers}/${demand.atOnce}`) });
  const recorder = stream.subscribe(new Collector(), { fromGop: false, atOnce: false });
  const viewer = stream.subscribe(new Collector(), { fromGop: false, atOnce: true });
  viewer.close();
  recorder.close();
  expect(seen).toEqual(["1/0", "2/1", "1/0", "0/0"]);
});

test("a state is reported once, a new reason again", () => {
  const stream = makeStream();
  const seen: string[] = [];
  stream.onState((state) => seen.push(state.state === "lost" ? state.reason : state.state));
  stream.setState({ state: "connecting" });
  stream.setState({ state: "connecting" });
  stream.setState({ state: "lost", reason: "no route" });
  stream.setState({ state: "lost", reason: "no answer" });
  expect(seen).toEqual(["connecting", "no route", "no answer"]);
});

test("while memory for frames is short, no GOP is kept for new viewers", () => {
  const pool = new SlabPool({ slabBytes: 1024, totalBytesMax: 8 * 1024 });
  const stream = new LiveStream({ channelId: "00000000-0000-0000-0000-000000000001", streamType: "Main" });
  const publish = (decodeTimeUs: number, key: boolean) =>
    stream.publish(slabFrame(pool, { decodeTimeUs, key, byteLength: 10 }).frame);
  publish(0, true);
  for (let at = 1; at < 6; at++) publish(at, false);
  expect(stream.gop).toHaveLength(6);
  publish(6, false);
  expect(stream.gop).toHaveLength(0);
  expect(pool.idleBytes).toBe(7 * 1024);
});

test("frames, pictures, bytes and what was damaged of them are counted", () => {
  const stream = makeStream();
  const bytes = Uint8Array.of(0, 0, 0, 1, 0x41);
  stream.publish(syntheticFrame({ decodeTimeUs: 1, key: true, bytes }));
  stream.publish(syntheticFrame({ decodeTimeUs: 2, audio: true, bytes }));
  expect(stream.counts).toMatchObject({ frames: 2, pictures: 1, bytes: 10, damagedFrames: 0 });
  stream.publish(syntheticFrame({ decodeTimeUs: 3, damaged: true, bytes }));
  expect(stream.counts.damagedFrames).toBe(1);
  stream.publish(syntheticFrame({ decodeTimeUs: 4, undecodable: true, bytes }));
  expect(stream.counts).toMatchObject({ frames: 4, pictures: 3, bytes: 20, damagedFrames: 2 });
});
