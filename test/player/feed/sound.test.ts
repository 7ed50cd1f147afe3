import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { type AudioFormat, Codec } from "../../../src/live/codec/codec.js";
import { FeedPeriod } from "../../../src/player/feed/feed-period.js";
import { soundMaker } from "../../../src/player/feed/sound-maker.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { H264_FORMAT } from "../../support/hls/hls-frames.js";
import { H264_PPS, H264_SPS, idr } from "../../support/media/sample-nal-units.js";
import { hear, toneOpus } from "../../support/media/tone.js";
import { annexB } from "../../support/rtsp/rtp-packets.js";

const run = promisify(execFile);
const KEY = Buffer.from(annexB(H264_SPS, H264_PPS, idr(60, 0)));

const directory = forAllTests(() => new TemporaryDirectory("feed-sound"));

/** A camera's sound as a movie of the live socket, and as the bytes that the camera sent. */
function movieOf(format: AudioFormat, units: readonly Buffer[]): Buffer {
  const period = new FeedPeriod({
    ...{ feed: 1, format: H264_FORMAT, keyFrame: KEY, decodeTimeUs: NINE_US },
    isShownAsDecoded: false,
  });
  const maker = soundMaker(format);
  if (maker === undefined) throw new Error("no sound");
  const messages = [period.init(maker.track).message];
  let timeUs = NINE_US;
  for (const unit of units) {
    for (const piece of maker.push(unit, timeUs)) {
      const message = period.sound({ ...piece, track: maker.track, handoverUs: timeUs, flags: 0 });
      if (message !== undefined) messages.push(message);
    }
    timeUs += durationUs(format, unit);
  }
  return Buffer.concat(messages.map((message) => message.subarray(32)));
}

function durationUs({ codec, channels, sampleRate }: AudioFormat, unit: Buffer): number {
  if (codec === Codec.OPUS) return 20_000;
  return (unit.length / channels / (codec === Codec.L16 ? 2 : 1) / sampleRate) * 1_000_000;
}

/** 16-bit samples that ffmpeg decodes. */
async function decoded(name: string, bytes: Buffer, input: readonly string[]): Promise<Buffer> {
  const file = directory.join(name);
  writeFileSync(file, bytes);
  const args = ["-v", "error", ...input, "-i", file, "-map", "0:a", "-f", "s16le", "-"];
  const { stdout, stderr } = await run("ffmpeg", args, { encoding: "buffer", maxBuffer: 64 * 1024 * 1024 });
  expect(stderr.toString()).toBe("");
  return stdout;
}

const format = (codec: Codec, sampleRate = 8000, channels = 1): AudioFormat => ({
  codec,
  sampleRate,
  channels,
  initialization: new Uint8Array(0),
});

function units(kind: "noise" | "tone" | "silence", count: number, bytes: number): Buffer[] {
  const random = new SeededRandom(7);
  return Array.from({ length: count }, (_, unit) =>
    Buffer.from(
      Array.from({ length: bytes }, (__, at) => {
        if (kind === "silence") return 0xff;
        if (kind === "noise") return random.below(256);
        // A slow wave of µ-law codes: values that a predictor likes.
        return 0x80 + Math.round(40 + 39 * Math.sin((unit * bytes + at) / 9));
      }),
    ),
  );
}

describe("Opus in MP4", () => {
  it("is what the camera sent, and plays", async () => {
    const { units: sent, format: sound } = await toneOpus({ frequency: 440, level: 0.5, seconds: 2 });
    const played = await decoded("opus.mp4", movieOf(sound, sent), []);
    const mono = Buffer.alloc(played.length / 2);
    for (let at = 0; at < mono.length; at += 2) played.copy(mono, at, 2 * at, 2 * at + 2);
    expect(hear(mono.subarray(48_000), 48_000).frequency).toBe(440);
  });
});

describe("G.711 and L16 as FLAC in MP4", () => {
  it.each([
    ["µ-law, noise", format(Codec.PCMU), units("noise", 60, 160), "mulaw"],
    ["µ-law, a tone", format(Codec.PCMU), units("tone", 60, 160), "mulaw"],
    ["µ-law, silence", format(Codec.PCMU), units("silence", 20, 160), "mulaw"],
    ["A-law, noise", format(Codec.PCMA), units("noise", 60, 160), "alaw"],
    ["A-law of 16 kHz", format(Codec.PCMA, 16_000), units("tone", 40, 320), "alaw"],
    ["an odd rate, two channels", format(Codec.PCMU, 11_025, 2), units("noise", 30, 882), "mulaw"],
    ["packets of a second", format(Codec.PCMU), units("noise", 4, 8000), "mulaw"],
  ])("keeps each sample: %s", async (name, sound, sent, raw) => {
    const file = name.replaceAll(/\W+/g, "-");
    const rawArgs = ["-f", raw, "-ar", `${sound.sampleRate}`, "-ac", `${sound.channels}`];
    const expected = await decoded(`${file}.raw`, Buffer.concat(sent), rawArgs);
    const played = await decoded(`${file}.mp4`, movieOf(sound, sent), []);
    // What is not a whole piece yet waits for more.
    expect(played.length).toBeGreaterThan(expected.length - 2 * 2 * 882);
    expect(played.equals(expected.subarray(0, played.length))).toBe(true);
  });

  it.each([
    ["L16 of 16 kHz", format(Codec.L16, 16_000), units("noise", 20, 640)],
    ["L16 of 48 kHz, two channels", format(Codec.L16, 48_000, 2), units("noise", 20, 3840)],
    [
      "L16 of 44.1 kHz, silence",
      format(Codec.L16, 44_100),
      Array.from({ length: 20 }, () => Buffer.alloc(1764)),
    ],
  ])("keeps each sample: %s", async (name, sound, sent) => {
    const file = name.replaceAll(/\W+/g, "-");
    const rawArgs = ["-f", "s16be", "-ar", `${sound.sampleRate}`, "-ac", `${sound.channels}`];
    const expected = await decoded(`${file}.raw`, Buffer.concat(sent), rawArgs);
    const played = await decoded(`${file}.mp4`, movieOf(sound, sent), []);
    expect(played.length).toBeGreaterThan(expected.length / 2);
    expect(played.equals(expected.subarray(0, played.length))).toBe(true);
  });

  it("takes less than the bytes of its samples", () => {
    const sent = units("tone", 50, 160);
    const silent = units("silence", 50, 160);
    const heads = 25 * 200;
    expect(movieOf(format(Codec.PCMU), sent).length).toBeLessThan(8000 * 2 + heads);
    expect(movieOf(format(Codec.PCMU), silent).length).toBeLessThan(2 * heads);
  });
});
