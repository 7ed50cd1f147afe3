import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Frame, SlabPool } from "../../../src/live/index.js";
import { FILE_MS_MAX } from "../../../src/owner/hls/hls-answer.js";
import { PACKAGER_BYTES_MAX } from "../../../src/player/hls/limits.js";
import { LivePackagers } from "../../../src/player/hls/live-packagers.js";
import { GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { pictures } from "../../support/hls/hls-frames.js";
import { readPlaylist } from "../../support/hls/hls-playlist.js";
import { RawClient } from "../../support/http/raw-http.js";

const MEBIBYTE = 1024 * 1024;
const SECOND = 25;
/** A second of them is more than the sockets' buffers hold. */
const PICTURE_BYTES = 300_000;

let api: ApiHarness;
let clock: SimulatedClock;
const clients: RawClient[] = [];

beforeEach(async () => {
  clock = new SimulatedClock(Date.UTC(2026, 10, 21, 9) * 1000);
  api = await startApi({ clock });
  api.streams.live(GATE_ID).setState({ state: "active" });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy();
  await api.stop();
});

/** A name for Gate's stream of `pictureBytes` a picture, and what publishes more seconds of it. */
async function start(pictureBytes: number): Promise<{ name: string; publish: (seconds: number) => void }> {
  const stream = api.streams.live(GATE_ID);
  let sent = 0;
  const publish = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      for (const frame of pictures(SECOND, { from: sent, bytes: pictureBytes })) stream.publish(frame);
      sent += SECOND;
    }
  };
  publish(1);
  const asked = api.get(`/hls?channelid=${GATE_ID}`);
  await until("the packager is there", () => stream.subscribers === 1);
  publish(2);
  return { name: (await (await asked).text()).replace(".m3u8", ""), publish };
}

describe("a player that does not read", () => {
  it("does not keep others from their segments, and is closed in time", async () => {
    const { name, publish } = await start(PICTURE_BYTES);
    const slow = new RawClient(api.port, { paused: true });
    clients.push(slow);
    slow.get(`/hls/${name}/s0.m4s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (let second = 0; second < 3; second += 1) {
      publish(1);
      const whole = await fetch(api.url(`/hls/${name}/s0.m4s`));
      expect((await whole.arrayBuffer()).byteLength).toBeGreaterThan(SECOND * PICTURE_BYTES);
    }
    await clock.advanceSlowly((FILE_MS_MAX + 1000) * 1000, 1_000_000);
    slow.resume();
    await until("it is closed", () => slow.closed);
    expect(slow.length).toBeLessThan(SECOND * PICTURE_BYTES);
  });

  it("that has disconnected leaves nothing behind", async () => {
    const { name } = await start(160_000);
    for (let turn = 0; turn < 8; turn += 1) {
      const client = new RawClient(api.port, { paused: true });
      client.get(`/hls/${name}/s0.m4s`);
      await new Promise((resolve) => setTimeout(resolve, 10));
      client.socket.destroy();
    }
    // Each of them was one of the name's few requests under way.
    await expect
      .poll(async () => (await fetch(api.url(`/hls/${name}/media.m3u8`))).status, { timeout: PATIENCE_MS })
      .toBe(200);
  });
});

/** Publishes a picture that lies in a slab of its own. */
function publishFrom(pool: SlabPool, picture: Frame, laterUs: number): void {
  const slab = pool.take();
  if (slab === undefined) throw new Error("no slab is left");
  const bytes = slab.bytes.subarray(0, picture.copyBytes().copy(slab.bytes));
  const { format, presentationOffsetUs, key, damaged, undecodable, discontinuity } = picture;
  const decodeTimeUs = picture.decodeTimeUs + laterUs;
  const fields = { format, decodeTimeUs, presentationOffsetUs, key, damaged, undecodable, discontinuity };
  api.streams.live(GATE_ID).publish(new Frame({ ...fields, ranges: [{ slab, bytes }] }));
  slab.release();
}

describe("the memory of a live stream", () => {
  it("is limited, whatever its bit rate, and holds no slab", () => {
    const stream = api.streams.live(GATE_ID);
    const log = { warn: () => undefined } as never;
    const packagers = new LivePackagers({
      codec: undefined as never,
      transcoding: undefined as never,
      rotationOf: () => 0,
      clock,
      log,
    });
    const source = packagers.open(stream, false);
    const pool = new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 64 * MEBIBYTE });
    const second = pictures(SECOND, { bytes: 100_000 });
    for (let seconds = 0; seconds < 60; seconds += 1) {
      for (const frame of second) publishFrom(pool, frame, seconds * 1e6);
      expect(packagers.byteLength).toBeLessThanOrEqual(PACKAGER_BYTES_MAX + 3 * MEBIBYTE);
      // The stream holds its current GOP; nobody else holds a frame.
      expect(pool.allocatedBytes - pool.idleBytes).toBe(SECOND * pool.slabBytes);
    }
    source.close();
    expect([packagers.size, packagers.byteLength, stream.subscribers]).toEqual([0, 0, 0]);
  });

  it("stays, with all others, within the memory for HLS: the oldest segments are dropped early, and a further stream is refused", () => {
    const log = { warn: () => undefined } as never;
    const bytesMax = 16 * MEBIBYTE;
    const packagers = new LivePackagers({
      codec: undefined as never,
      transcoding: undefined as never,
      rotationOf: () => 0,
      clock,
      log,
      bytesMax,
    });
    const streams = [api.streams.live(GATE_ID), api.streams.live(YARD_ID)];
    const sources = streams.map((stream) => packagers.open(stream, false));
    for (let seconds = 0; seconds < 20; seconds += 1) {
      for (const frame of pictures(SECOND, { from: seconds * SECOND, bytes: 40_000 }))
        for (const stream of streams) {
          frame.retain();
          stream.publish(frame);
        }
      expect(packagers.byteLength).toBeLessThanOrEqual(bytesMax + 3 * MEBIBYTE);
    }
    expect(packagers.byteLength).toBeGreaterThan(bytesMax * 0.75);
    const refused = () => packagers.open(api.streams.live(GATE_ID), true);
    expect(refused).toThrow(expect.objectContaining({ code: "NOT_AVAILABLE", retryAfterMs: 10_000 }));
    expect(packagers.refusals).toBe(1);
    for (const source of sources) source.close();
    expect(packagers.byteLength).toBe(0);
  });

  it("does not change when a player falls behind the window: the playlist lists what there is", async () => {
    const { name, publish } = await start(1000);
    publish(60);
    expect((await fetch(api.url(`/hls/${name}/s0.m4s`))).status).toBe(404);
    const { segments } = readPlaylist(await (await fetch(api.url(`/hls/${name}/media.m3u8`))).text());
    expect(segments[0]?.sequence).toBeGreaterThan(10);
    expect((await fetch(api.url(`/hls/${name}/${segments[0]?.uri}`))).status).toBe(200);
  });
});
