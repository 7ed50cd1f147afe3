import { beforeAll, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { FRAME_US, NINE_US } from "../../support/api/api-frames.js";
import { startApi, until } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { clipFrames, clipUs, pictureHashes, recordedClip } from "../../support/hls/hls-clips.js";
import { readPlaylist } from "../../support/hls/hls-playlist.js";
import { type CodedClip, codedClip } from "../../support/media/coded-clip.js";

const FRAMES = 250;
/** From the first segment on; ffmpeg would begin near what it takes for the live edge. */
const FROM_START = ["-live_start_index", "0"];
/** Pictures that ffmpeg holds back for those behind them. */
const MARGIN = 25;
const KEY = { channelId: GATE_ID, streamType: "Main" } as const;

let clips: Record<"h264" | "h265" | "longGop", CodedClip>;

beforeAll(async () => {
  const size = { width: 160, height: 120, frames: FRAMES };
  const [h264, h265, longGop] = await Promise.all([
    codedClip({ ...size, codec: Codec.H264, flags: ["-g", "25", "-bf", "2"] }),
    codedClip({
      ...size,
      codec: Codec.H265,
      flags: ["-g", "50", "-preset", "ultrafast"],
    }),
    codedClip({
      ...size,
      codec: Codec.H264,
      flags: ["-g", "1000", "-bf", "0", "-sc_threshold", "0"],
    }),
  ]);
  clips = { h264, h265, longGop };
});

const api = forEachTest(() => startApi());

async function nameOf(query: string): Promise<string> {
  const response = await api.get(`/hls?channelid=${GATE_ID}${query}`);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.stringMatching(/^[0-9a-f]{40}\.m3u8$/)]);
  return text;
}

async function playlistOf(name: string) {
  const multivariant = await (await fetch(api.url(`/hls/${name}`))).text();
  const uri = multivariant.trim().split("\n").at(-1) ?? "";
  return { multivariant, ...readPlaylist(await (await fetch(api.url(`/hls/${uri}`))).text()) };
}

describe("ffmpeg plays a live stream", () => {
  it.each([
    ["h264", "avc1.64000"],
    ["h265", "hvc1.1."],
    ["longGop", "avc1."],
  ] as const)("of %s and finds the pictures that the camera sent", async (kind, codec) => {
    const clip = clips[kind];
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "active" });
    for (const frame of clipFrames(clip)) stream.publish(frame);
    // The stream keeps its current GOP, with which the first segment begins; the rest comes with a player there.
    const opened = nameOf("");
    await until("the packager is there", () => stream.subscribers === 1);
    if (kind !== "longGop")
      for (const frame of clipFrames(clip, { fromUs: NINE_US + clipUs(FRAMES) })) stream.publish(frame);
    const name = await opened;
    const { multivariant, segments } = await playlistOf(name);
    expect(multivariant).toContain(`CODECS="${codec}`);
    expect(multivariant).toContain("RESOLUTION=160x120");
    const seconds = segments.reduce(
      (sum, { uri, duration = 0 }) => sum + (uri === undefined ? 0 : duration),
      0,
    );
    const count = Math.round((seconds * 1e6) / FRAME_US) - MARGIN;
    const { hashes, complaints } = await pictureHashes(api.url(`/hls/${name}`), count, FROM_START);
    expect(complaints).toBe("");
    expect(hashes.length).toBe(count);
    const source = (await pictureHashes(clip.file, FRAMES)).hashes;
    const both = [...source, ...source].join();
    expect(both.includes(hashes.join()), hashes.slice(0, 3).join()).toBe(true);
  });
});

describe("ffmpeg plays a recording", () => {
  it.each(["h264", "h265"] as const)("of %s, all its pictures from the first on", async (kind) => {
    const clip = clips[kind];
    api.archive.record(KEY, recordedClip(clip));
    const name = await nameOf("&mode=archive&starttime=21.11.2026+09:00:00");
    const count = FRAMES - 50 - MARGIN;
    const { hashes, complaints } = await pictureHashes(api.url(`/hls/${name}`), count);
    expect(complaints).toBe("");
    expect(hashes).toEqual((await pictureHashes(clip.file, count)).hashes);
  });
});
