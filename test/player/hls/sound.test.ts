import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { type AudioFormat, Codec } from "../../../src/live/codec/codec.js";
import { pcmToG711 } from "../../../src/live/codec/g711.js";
import type { Frame } from "../../../src/live/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { archived, clipFrames, inTime, soundFrames } from "../../support/hls/hls-clips.js";
import { readPlaylist } from "../../support/hls/hls-playlist.js";
import { type CodedClip, codedClip } from "../../support/media/coded-clip.js";
import { hear, toneAac, toneL16, toneOpus, tonePcm } from "../../support/media/tone.js";

const run = promisify(execFile);
const FRAMES = 200;
const SECONDS = FRAMES / 25;
const KEY = { channelId: GATE_ID, streamType: "Main" } as const;
const G711_UNIT_SAMPLES = 320;
/** While ffmpeg waits for more of a stream, one SIGTERM does not end it. */
const UNTIL_KILLED = { timeout: PATIENCE_MS, killSignal: "SIGKILL" } as const;

let clip: CodedClip;
let sounds: Record<"g711" | "aac" | "l16" | "opus", () => Frame[]>;

function g711Tone(): Frame[] {
  const pcm = tonePcm({ frequency: 440, level: 0.5, rate: 8000, seconds: SECONDS });
  const samples = pcmToG711(pcm, "mu");
  const units = Array.from({ length: Math.floor(samples.length / G711_UNIT_SAMPLES) }, (_, index) =>
    samples.subarray(index * G711_UNIT_SAMPLES, (index + 1) * G711_UNIT_SAMPLES),
  );
  const format: AudioFormat = {
    codec: Codec.PCMU,
    sampleRate: 8000,
    channels: 1,
    initialization: new Uint8Array(0),
  };
  return soundFrames(format, units, { unitUs: (G711_UNIT_SAMPLES * 1e6) / 8000 });
}

beforeAll(async () => {
  const options = {
    codec: Codec.H264,
    width: 160,
    height: 120,
    frames: FRAMES,
    flags: ["-g", "25", "-bf", "0"],
  };
  clip = await codedClip(options);
  const aac = await toneAac({ frequency: 440, level: 0.5, rate: 48_000, seconds: SECONDS });
  const l16 = toneL16({ frequency: 440, level: 0.5, rate: 16_000, seconds: SECONDS });
  const opus = await toneOpus({ frequency: 440, level: 0.5, seconds: SECONDS });
  sounds = {
    g711: g711Tone,
    aac: () => soundFrames(aac.format, aac.units, { unitUs: (1024 * 1e6) / 48_000 }),
    l16: () => soundFrames(l16.format, l16.units, { unitUs: 20_000 }),
    opus: () => soundFrames(opus.format, opus.units, { unitUs: 20_000 }),
  };
});

const api = forEachTest(() => startApi());

async function nameOf(query: string): Promise<string> {
  const response = await api.get(`/hls?channelid=${GATE_ID}&sound=on${query}`);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.stringContaining(".m3u8")]);
  return text;
}

interface Packet {
  readonly pts: number;
  readonly duration: number;
}

/** What ffmpeg finds of the first seconds: the sound's samples (16 bits, 8 kHz), and the times of both tracks' packets. */
async function listen(name: string, seconds: number) {
  const url = api.url(`/hls/${name}`);
  const from = ["-nostdin", "-v", "error", "-live_start_index", "0", "-i", url, "-t", `${seconds}`];
  const pcm = await run("ffmpeg", [...from, "-map", "0:a", "-f", "s16le", "-ar", "8000", "-ac", "1", "-"], {
    encoding: "buffer",
    ...UNTIL_KILLED,
  });
  const copy = await run(
    "ffmpeg",
    [...from, "-copyts", "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "framecrc", "-"],
    UNTIL_KILLED,
  );
  const [video = [], audio = []] = [0, 1].map((track) => packetsOf(copy.stdout, track));
  return { complaints: pcm.stderr.toString(), pcm: pcm.stdout, video, audio };
}

/** A track's packets in ffmpeg's framecrc: track, dts, pts, duration… in the track's time base. */
function packetsOf(framecrc: string, track: number): Packet[] {
  const base = new RegExp(`#tb ${track}: (\\d+)/(\\d+)`).exec(framecrc);
  const unit = Number(base?.[1]) / Number(base?.[2]);
  const rows = framecrc.split("\n").filter((line) => line.startsWith(`${track},`));
  return rows.map((row) => {
    const [, , pts = 0, duration = 0] = row.split(",").map(Number);
    return { pts: pts * unit, duration: duration * unit };
  });
}

describe.each(["g711", "aac", "l16", "opus"] as const)("sound of a camera that sends %s", (kind) => {
  it("is AAC in a live stream, in sync with the pictures, with its tone kept", async () => {
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "active" });
    const frames = inTime(clipFrames(clip), sounds[kind]());
    const half = frames.findIndex((frame) => frame.decodeTimeUs >= NINE_US + 2_000_000);
    for (const frame of frames.slice(0, half)) stream.publish(frame);
    const opened = nameOf("");
    await expect.poll(() => stream.subscribers).toBe(1);
    for (const frame of frames.slice(half)) stream.publish(frame);
    const name = await opened;
    const path = `/hls/${name.replace(".m3u8", "/media.m3u8")}`;
    const read = async () => readPlaylist(await (await fetch(api.url(path))).text());
    await expect.poll(async () => (await read()).segments.length).toBeGreaterThanOrEqual(4);
    expect((await read()).segments.at(-1)?.discontinuities).toBe(0);
    expect(await (await fetch(api.url(`/hls/${name}`))).text()).toMatch(
      /CODECS="avc1\.[0-9a-f]{6},mp4a\.40\.2"/,
    );
    expectTone(await listen(name, 4));
  });

  it("is AAC in a recording too", async () => {
    const frames = inTime(clipFrames(clip), sounds[kind]());
    api.archive.record(
      KEY,
      frames.map((frame, index) => archived(frame, index === 0)),
    );
    expectTone(await listen(await nameOf("&mode=archive&starttime=21.11.2026+09:00:00"), 4));
  });
});

function expectTone({ complaints, pcm, video, audio }: Awaited<ReturnType<typeof listen>>): void {
  expect(complaints).toBe("");
  // Half seconds behind the encoder's beginning.
  for (let second = 1; second < 3.5; second += 0.5) {
    const heard = hear(pcm.subarray(second * 16_000, second * 16_000 + 8000), 8000);
    expect(heard.frequency).toBe(440);
    expect(heard.level).toBeGreaterThan(0.4);
    expect(heard.purity).toBeGreaterThan(0.9);
  }
  expect(Math.min(video.length, audio.length)).toBeGreaterThan(50);
  for (const track of [video, audio]) {
    for (const [index, { pts }] of track.entries()) {
      const before = track[index - 1];
      if (before !== undefined) expect(Math.abs(pts - before.pts - before.duration)).toBeLessThan(0.002);
    }
  }
  const [firstPicture] = video;
  const [firstSound] = audio;
  expect(Math.abs((firstPicture?.pts ?? 0) - (firstSound?.pts ?? 99))).toBeLessThan(0.15);
}

it("sound that the codec returned while the main thread was held is not taken for late", async () => {
  const stream = api.streams.live(GATE_ID);
  stream.setState({ state: "active" });
  const frames = inTime(clipFrames(clip), sounds.g711());
  const upTo = (seconds: number) =>
    frames.findIndex((frame) => frame.decodeTimeUs >= NINE_US + seconds * 1_000_000);
  for (const frame of frames.slice(0, upTo(2))) stream.publish(frame);
  const opened = nameOf("");
  await expect.poll(() => stream.subscribers).toBe(1);
  for (const frame of frames.slice(upTo(2), upTo(4))) stream.publish(frame);
  // Longer than pictures wait for sound (SOUND_WAIT_MS_MAX).
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800);
  for (const frame of frames.slice(upTo(4))) stream.publish(frame);
  expectTone(await listen(await opened, 4));
});

describe("sound that is not requested", () => {
  it("is in no track", async () => {
    api.archive.record(
      KEY,
      inTime(clipFrames(clip), sounds.aac()).map((frame, index) => archived(frame, index === 0)),
    );
    const response = await api.get(`/hls?channelid=${GATE_ID}&mode=archive&starttime=21.11.2026+09:00:00`);
    const text = await (await fetch(api.url(`/hls/${await response.text()}`))).text();
    expect(text).toMatch(/CODECS="avc1\.[0-9a-f]{6}"/);
  });
});
