import { describe, expect, it } from "vitest";
import { soundOfFile } from "../../../src/camera/talk/sound-file.js";
import { lawTable } from "../../../src/camera/talk/voice.js";
import { g711ToPcm, NativeCodec, pcmToG711 } from "../../../src/picture/index.js";
import { ffmpegFilter, hear, tonePcm } from "../../support/media/tone.js";

const codec = new NativeCodec();
const TONE = { frequency: 1000, level: 0.5 };

/** A tone as ffmpeg writes it into a file. */
async function file(rate: number, channels: number, output: readonly string[]): Promise<Buffer> {
  const pcm = tonePcm({ ...TONE, rate, channels, seconds: 1 });
  return await ffmpegFilter(
    ["-f", "s16le", "-ar", `${rate}`, "-ac", `${channels}`, "-i", "pipe:0", ...output, "pipe:1"],
    pcm,
  );
}

async function heard(bytes: Buffer) {
  const sound = await soundOfFile(bytes, codec);
  return { seconds: sound.length / 8000, ...hear(g711ToPcm([sound.subarray(800)], "mu"), 8000) };
}

describe("a sound file", () => {
  it.each([
    ["8 kHz, 16 bits", 8000, 1, "pcm_s16le"],
    ["8 kHz, 8 bits", 8000, 1, "pcm_u8"],
    ["44.1 kHz, stereo", 44_100, 2, "pcm_s16le"],
    ["48 kHz, 24 bits, 6 channels", 48_000, 6, "pcm_s24le"],
    ["11.025 kHz, 32 bits", 11_025, 1, "pcm_s32le"],
    ["96 kHz, float", 96_000, 2, "pcm_f32le"],
    ["A-law", 8000, 1, "pcm_alaw"],
    ["µ-law of 16 kHz", 16_000, 1, "pcm_mulaw"],
  ])("in WAV of %s keeps its tone and level", async (_, rate, channels, coder) => {
    const tone = await heard(await file(rate, channels, ["-c:a", coder, "-f", "wav"]));
    expect(tone.frequency).toBe(TONE.frequency);
    expect(tone.level).toBeCloseTo(TONE.level, 1);
    expect(tone.purity).toBeGreaterThan(0.98);
    expect(tone.seconds).toBeCloseTo(1, 1);
  });

  it("has no tone left that 8 kHz cannot carry", async () => {
    const pcm = tonePcm({ frequency: 6000, level: 0.5, rate: 44_100, seconds: 1 });
    const wav = await ffmpegFilter(
      ["-f", "s16le", "-ar", "44100", "-ac", "1", "-i", "pipe:0", "-f", "wav", "pipe:1"],
      pcm,
    );
    expect((await heard(wav)).level).toBeLessThan(0.005);
  });

  it("in AAC is decoded", async () => {
    const tone = await heard(await file(44_100, 2, ["-c:a", "aac", "-b:a", "96k", "-f", "adts"]));
    expect(tone.frequency).toBe(TONE.frequency);
    expect(tone.level).toBeCloseTo(TONE.level, 1);
  });

  it("that is damaged or something else is refused with words, whatever its bytes", async () => {
    const wav = await file(8000, 1, ["-f", "wav"]);
    const cut = wav.subarray(0, 30);
    const start = wav.indexOf("data") + 8;
    const long = Buffer.concat([wav.subarray(0, start), Buffer.alloc(121 * 16_000)]);
    long.writeUInt32LE(121 * 16_000, start - 4);
    await expect(soundOfFile(Buffer.from("hello"), codec)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(soundOfFile(Buffer.alloc(0), codec)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(soundOfFile(cut, codec)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(soundOfFile(long, codec)).rejects.toMatchObject({ code: "TOO_LARGE" });
    for (let at = 0; at < 60; at += 1) {
      const broken = Buffer.from(wav);
      broken[at] = 0xff;
      const outcome = await soundOfFile(broken, codec).then(
        () => "read",
        (error: { code?: string }) => error.code,
      );
      expect(["read", "BAD_REQUEST", "TOO_LARGE"]).toContain(outcome);
    }
  });
});

describe("the volume", () => {
  it("makes samples softer, between both laws, and leaves them alone at 100", () => {
    const pcm = tonePcm({ ...TONE, rate: 8000, seconds: 0.5 });
    const alaw = pcmToG711(pcm, "a");
    const half = alaw.map((byte) => lawTable("a", "mu", 0.5)[byte] ?? 0);
    expect(hear(g711ToPcm([half], "mu"), 8000)).toMatchObject({ frequency: TONE.frequency });
    expect(hear(g711ToPcm([half], "mu"), 8000).level).toBeCloseTo(0.25, 2);
    expect(lawTable("a", "a", 1)).toEqual(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    expect(new Set(g711ToPcm([alaw.map((byte) => lawTable("a", "mu", 0)[byte] ?? 0)], "mu"))).toEqual(
      new Set([0]),
    );
  });
});
