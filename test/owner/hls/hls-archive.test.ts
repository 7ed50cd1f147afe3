import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { REQUESTS_PER_NAME_MAX } from "../../../src/owner/hls/hls-sessions.js";
import { ARCHIVE_SEGMENTS_AHEAD } from "../../../src/player/hls/limits.js";
import { withoutCameras } from "../../../src/site/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { FRAME_US, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { H264_FORMAT, recordedPictures } from "../../support/hls/hls-frames.js";
import { type ReadPlaylist, readPlaylist } from "../../support/hls/hls-playlist.js";
import { RawClient } from "../../support/http/raw-http.js";

const KEY = { channelId: GATE_ID, streamType: "Main" } as const;
const SECOND = 25;

let api: ApiHarness;

beforeEach(async () => {
  api = await startApi();
});

afterEach(() => api.stop());

async function open(query = "starttime=21.11.2026+09:00:00"): Promise<string> {
  const response = await api.get(`/hls?channelid=${GATE_ID}&mode=archive&${query}`);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.stringMatching(/^[0-9a-f]{40}\.m3u8$/)]);
  return text.slice(0, -".m3u8".length);
}

async function media(name: string): Promise<ReadPlaylist> {
  return readPlaylist(await (await fetch(api.url(`/hls/${name}/media.m3u8`))).text());
}

async function bytes(name: string, file: string): Promise<Buffer> {
  const response = await fetch(api.url(`/hls/${name}/${file}`));
  expect([file, response.status]).toEqual([file, 200]);
  return Buffer.from(await response.arrayBuffer());
}

/** Fetches segments, as a player does, until the list ends with none that is new; all that were listed on the way. */
async function playAll(name: string): Promise<ReadPlaylist["segments"]> {
  const seen = new Map<number, ReadPlaylist["segments"][number]>();
  for (let known = -1; seen.size > known; ) {
    known = seen.size;
    for (const segment of (await media(name)).segments) {
      if (seen.has(segment.sequence)) continue;
      seen.set(segment.sequence, segment);
      await bytes(name, segment.uri ?? "");
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return [...seen.values()];
}

describe("a recording by HLS", () => {
  it("is listed no further than the player has come", async () => {
    api.archive.record(KEY, recordedPictures(60 * SECOND));
    const name = await open();
    expect((await media(name)).segments.length).toBe(ARCHIVE_SEGMENTS_AHEAD);
    await bytes(name, "s0.m4s");
    await bytes(name, "s1.m4s");
    const listed = async () => (await media(name)).segments.map(({ sequence }) => sequence);
    await expect.poll(listed, { timeout: PATIENCE_MS }).toEqual([0, 1, 2, 3, 4]);
    const { partTarget, ended } = await media(name);
    expect([partTarget, ended]).toEqual([undefined, false]);
  });

  it("begins with the key frame before starttime, and says where starttime is", async () => {
    api.archive.record(KEY, recordedPictures(20 * SECOND));
    const { segments, startOffset } = await media(await open("starttime=21.11.2026+09:00:05.400"));
    expect(segments[0]?.timeMs).toBe(NINE_US / 1000 + 5000);
    expect(startOffset).toBeCloseTo(0.4, 6);
  });

  it("goes over a gap with a discontinuity and the time of its pictures", async () => {
    api.archive.record(KEY, recordedPictures(5 * SECOND));
    api.archive.record(KEY, recordedPictures(5 * SECOND, { from: 3600 * SECOND }));
    const segments = await playAll(await open());
    expect(segments.map(({ discontinuities }) => discontinuities)).toEqual([0, 0, 0, 1, 1]);
    expect(segments[3]?.timeMs).toBe(NINE_US / 1000 + 3_600_000);
    expect(segments[3]?.map).not.toBe(segments[0]?.map);
    const first = segments.slice(0, 3).reduce((sum, { duration = 0 }) => sum + duration, 0);
    expect(first).toBeCloseTo(5, 3);
  });

  it("begins behind a gap that starttime lies in, or with the end of what is before it, if that is nearer", async () => {
    api.archive.record(KEY, recordedPictures(5 * SECOND));
    api.archive.record(KEY, recordedPictures(5 * SECOND, { from: 60 * SECOND }));
    const behind = await media(await open("starttime=21.11.2026+09:00:40"));
    expect(behind.segments[0]?.timeMs).toBe(NINE_US / 1000 + 60_000);
    expect(behind.startOffset).toBe(0);
    const before = await media(await open("starttime=21.11.2026+09:00:30"));
    expect(before.segments[0]?.timeMs).toBe(NINE_US / 1000 + 4_000);
    expect(before.startOffset).toBeCloseTo(1, 4);
  });

  it("goes on as more is recorded", async () => {
    api.archive.record(KEY, recordedPictures(6 * SECOND));
    const name = await open();
    const before = await playAll(name);
    api.archive.record(
      KEY,
      recordedPictures(6 * SECOND, { from: 6 * SECOND }).map((frame) => ({
        ...frame,
        startsFragment: false,
      })),
    );
    await expect
      .poll(async () => (await playAll(name)).length, { timeout: PATIENCE_MS })
      .toBeGreaterThan(before.length + 1);
    const behind = await playAll(name);
    expect(new Set(behind.map(({ discontinuities }) => discontinuities))).toEqual(new Set([0]));
  });

  it("gives a segment that is asked for again the same bytes", async () => {
    api.archive.record(KEY, recordedPictures(20 * SECOND, { gop: 12 * SECOND, bytes: 500 }));
    const name = await open();
    const { segments } = await media(name);
    // A GOP of 12 s: the second and third segment begin within it.
    expect(segments.length).toBeGreaterThanOrEqual(3);
    for (const { uri = "" } of segments) {
      const first = await bytes(name, uri);
      const again = await bytes(name, uri);
      // The number of the fragment aside (mfhd).
      expect(again.subarray(28).equals(first.subarray(28)), uri).toBe(true);
    }
  });

  it("says 404 of a segment that is no longer recorded", async () => {
    api.archive.record(KEY, recordedPictures(10 * SECOND));
    const name = await open();
    await bytes(name, "s0.m4s");
    api.archive.forget(KEY);
    expect((await fetch(api.url(`/hls/${name}/s0.m4s`))).status).toBe(404);
  });

  it.each([
    [2, 1],
    [0.5, 4],
    [10, 0.2],
  ])("is played at speed %d in an ordinary player", async (speed, secondsOfTwo) => {
    api.archive.record(KEY, recordedPictures(120 * SECOND));
    const name = await open(`starttime=21.11.2026+09:00:00&speed=${speed}`);
    const { segments } = await media(name);
    const [first, second] = segments;
    const passedMs = (second?.timeMs ?? 0) - (first?.timeMs ?? 0);
    expect(passedMs / 1000 / (first?.duration ?? 1)).toBeCloseTo(speed, 3);
    expect(secondsOfTwo).toBeCloseTo(2 / speed, 6);
    // Beyond four times the speed its key frames alone, one a second.
    const [sample] = samplesOf(await bytes(name, first?.uri ?? ""));
    expect(sample?.ticks).toBeCloseTo((90_000 * (speed > 4 ? 1 : FRAME_US / 1e6)) / speed, -1);
  });

  it("keeps no place for a request that waits once its client has gone", async () => {
    await api.stop();
    api = await startApi({ clock: new SimulatedClock(NINE_US + 3_600_000_000) });
    api.archive.record(KEY, recordedPictures(60 * SECOND));
    const name = await open();
    const clients = Array.from({ length: REQUESTS_PER_NAME_MAX }, () => new RawClient(api.port));
    for (const client of clients) client.get(`/hls/${name}/media.m3u8?_HLS_msn=100`);
    const status = async () => (await fetch(api.url(`/hls/${name}/media.m3u8`))).status;
    await expect.poll(status).toBe(429);
    for (const client of clients) client.socket.destroy();
    await expect.poll(status).toBe(200);
  });

  it("leaves its reader when the name ends", async () => {
    api.archive.record(KEY, recordedPictures(10 * SECOND));
    await open();
    expect(api.archive.readers).toBe(1);
    await api.site.change((site) => withoutCameras(site, [GATE_ID]));
    await until("the reader is closed", () => api.archive.readers === 0);
  });

  it("is 404 where nothing is recorded, 403 without the right, 501 for other codecs without an encoder", async () => {
    const path = `/hls?channelid=${GATE_ID}&mode=archive&starttime=`;
    expect((await api.get(`${path}21.11.2026+09:00:00`)).status).toBe(404);
    const format = { ...H264_FORMAT, codec: Codec.MJPEG, initialization: new Uint8Array(0) };
    api.archive.record(KEY, recordedPictures(50, { gop: 1, format }));
    api.codec.withoutEncoder = true;
    expect((await api.get(`${path}21.11.2026+09:00:00`)).status).toBe(501);
    // A start behind the last picture begins with that picture.
    expect((await api.get(`${path}21.11.2036+09:00:00`)).status).toBe(501);
    expect((await fetch(api.url(`${path}21.11.2026+09:00:00&login=guard`))).status).toBe(403);
    expect(api.archive.readers).toBe(0);
  });
});

/** The samples of a fragment's first run: durations in ticks (ISO/IEC 14496-12, 8.8.8; durations, sizes, flags, offsets). */
function samplesOf(fragment: Buffer): { readonly ticks: number }[] {
  const trun = fragment.indexOf("trun");
  const count = fragment.readUInt32BE(trun + 8);
  return Array.from({ length: count }, (_, index) => ({
    ticks: fragment.readUInt32BE(trun + 16 + index * 16),
  }));
}
