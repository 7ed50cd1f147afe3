// Own process: it measures the memory of its process.

import { describe, expect, it } from "vitest";
import { type Frame, Frame as LiveFrame, SlabPool } from "../../../src/live/index.js";
import { VIEWER_QUEUE_BYTES_MAX } from "../../../src/player/video/live-video.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { frameBytes, liveFrame } from "../../support/api/api-frames.js";
import { ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { type RawClient, readParts } from "../../support/http/raw-http.js";

const api = forEachTest(() => startApi());

function watch(options: { paused: boolean }): RawClient {
  const client = api.connect(options);
  if (options.paused) client.socket.pause();
  client.get(`/video?${ROOT_QUERY}&channelid=${GATE_ID}`);
  return client;
}

const FRAME_BYTES = 100_000;
const pool = new SlabPool({ slabBytes: FRAME_BYTES, totalBytesMax: 200 * FRAME_BYTES });

/** A frame in a slab of its own, so that the leases still held can be counted. */
function slabFrame(index: number, key: boolean): Frame | undefined {
  const slab = pool.take();
  if (slab === undefined) return undefined;
  frameBytes(index, FRAME_BYTES).copy(slab.bytes);
  const { format } = liveFrame(0);
  const frame = new LiveFrame({
    format,
    decodeTimeUs: index * 40_000,
    presentationOffsetUs: 0,
    key,
    damaged: false,
    undecodable: false,
    discontinuity: false,
    ranges: [{ slab, bytes: slab.bytes }],
  });
  slab.release();
  return frame;
}

const leasedBytes = (): number => pool.allocatedBytes - pool.idleBytes;
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a client that takes nothing", () => {
  it("holds no more than its quota, delays nobody, and is closed", async () => {
    const stalled = watch({ paused: true });
    const reader = watch({ paused: false });
    const stream = api.streams.live(GATE_ID);
    await until("both subscribe", () => stream.subscribers === 2);
    const before = process.memoryUsage().rss;
    const total = 600;
    for (let index = 0; index < total; index++) {
      const frame = slabFrame(index, index % 10 === 0);
      expect(frame, "the slabs came back").toBeDefined();
      if (frame !== undefined) stream.publish(frame);
      await until("the reader has it", () => reader.length > (index + 1) * FRAME_BYTES);
    }
    // Live GOP of up to 10 frames and the stalled viewer's quota; nothing else.
    expect(leasedBytes()).toBeLessThanOrEqual(VIEWER_QUEUE_BYTES_MAX + 12 * FRAME_BYTES);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    await until(
      "every frame",
      () => reader.length > total * FRAME_BYTES && readParts(reader.body).parts.length === total,
    );
    await until("the stalled client is closed", () => stream.subscribers === 1);
    stream.setState({ state: "idle" });
    reader.destroy();
    await until("all leases are back", () => leasedBytes() === 0);
    expect(stalled.length).toBe(0);
  });
});

describe("a client that is slow for a while", () => {
  it("loses whole frames up to a key frame and gets every other byte right", async () => {
    const slow = watch({ paused: true });
    const stream = api.streams.live(GATE_ID);
    await until("it subscribes", () => stream.subscribers === 1);
    for (let index = 0; index < 300; index++) {
      const frame = slabFrame(index, index % 10 === 0);
      if (frame !== undefined) stream.publish(frame);
      await tick();
    }
    slow.resume();
    slow.socket.resume();
    let next = 300;
    await until("it has caught up", () => {
      const frame = slabFrame(next, next % 10 === 0);
      if (frame !== undefined) stream.publish(frame);
      next += 1;
      return next > 400 && slow.length > 0;
    });
    await until(
      "the last frame",
      () =>
        readParts(slow.body)
          .parts.at(-1)
          ?.body.includes(`frame ${next - 1};`) === true,
    );
    const indexes = readParts(slow.body).parts.map((part) => {
      const index = Number(/^frame (\d+);/.exec(part.body.toString("latin1", 0, 20))?.[1]);
      expect(part.body.equals(frameBytes(index, FRAME_BYTES))).toBe(true);
      return index;
    });
    expect(indexes.length).toBeLessThan(next);
    for (const [at, index] of indexes.entries()) {
      const previous = indexes[at - 1];
      if (previous !== undefined && index !== previous + 1) expect(index % 10).toBe(0);
    }
    stream.setState({ state: "idle" });
  });
});

describe("clients that vanish", () => {
  it("give their leases and subscriptions back", async () => {
    const stream = api.streams.live(GATE_ID);
    for (let round = 0; round < 5; round++) {
      const group = Array.from({ length: 10 }, () => watch({ paused: true }));
      await until("they subscribe", () => stream.subscribers === 10);
      for (let index = 0; index < 60; index++) {
        const frame = slabFrame(index, index % 10 === 0);
        if (frame !== undefined) stream.publish(frame);
      }
      for (const client of group) client.socket.resetAndDestroy();
      await until("they are gone", () => stream.subscribers === 0);
    }
    stream.setState({ state: "idle" });
    expect(leasedBytes()).toBe(0);
  });
});

describe("a hundred viewers of one stream", () => {
  it("each get every frame, formatted once", async () => {
    const viewers = Array.from({ length: 100 }, () => watch({ paused: false }));
    const stream = api.streams.live(GATE_ID);
    await until("all subscribe", () => stream.subscribers === 100, { seen: () => stream.subscribers });
    for (let index = 0; index < 20; index++) {
      const frame = slabFrame(index, index === 0);
      if (frame !== undefined) stream.publish(frame);
      await until("all have it", () => viewers.every((viewer) => viewer.length > (index + 1) * FRAME_BYTES), {
        seen: () => viewers.map(({ length }) => length),
      });
    }
    for (const viewer of viewers)
      await until("every frame", () => readParts(viewer.body).parts.length === 20, {
        seen: () => readParts(viewer.body).parts.length,
      });
    stream.setState({ state: "idle" });
  });
});

describe("a client that comes to a long GOP", () => {
  it("gets the whole of it although it is larger than the bound of those who are behind", async () => {
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "active" });
    const frames = Math.ceil((VIEWER_QUEUE_BYTES_MAX * 2.5) / FRAME_BYTES);
    for (let index = 0; index < frames; index++) {
      const frame = slabFrame(index, index === 0);
      if (frame !== undefined) stream.publish(frame);
    }
    const viewer = watch({ paused: false });
    await until("every frame", () => viewer.length > frames * FRAME_BYTES, { seen: () => viewer.length });
    await until("every part", () => readParts(viewer.body).parts.length === frames, {
      seen: () => readParts(viewer.body).parts.length,
    });
    stream.setState({ state: "idle" });
  });
});
