import { describe, expect, it } from "vitest";
import { soundOfFile } from "../../../src/camera/talk/sound-file.js";
import { lawTable } from "../../../src/camera/talk/voice.js";
import { g711ToPcm, pcmToG711 } from "../../../src/live/codec/g711.js";
import { NativeCodec } from "../../../src/picture/index.js";
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

/** A WAV file of silence, as its header says it. */
function wavOf({
  tag = 1,
  channels = 1,
  rate = 8000,
  bits = 16,
  dataLength,
  bytes,
}: {
  readonly tag?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly bits?: number;
  /** What the header claims. */
  readonly dataLength?: number;
  readonly bytes: number;
}): Buffer {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(0xffffffff, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(tag, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt16LE(((channels * bits) / 8) & 0xffff, 32);
  head.writeUInt16LE(bits, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(dataLength ?? bytes, 40);
  return Buffer.concat([head, Buffer.alloc(bytes)]);
}

/** Turns of the event loop that others had while `work` ran. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

describe("a hostile sound file", () => {
  it.each([
    ["no channels", { channels: 0 }],
    ["65,535 channels", { channels: 65_535 }],
    ["a rate of 0", { rate: 0 }],
    ["a rate of 4 GHz", { rate: 0xffffffff }],
    ["samples of 0 bits", { bits: 0 }],
    ["samples of 12 bits", { bits: 12 }],
    ["MP3 inside", { tag: 0x55 }],
  ])("with %s is refused in words", async (_, wrong) => {
    await expect(soundOfFile(wavOf({ ...wrong, bytes: 1600 }), codec)).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("WAV"),
    });
  });

  it("that claims 4 GB of sound gives what it has, and one of an odd rate keeps its length", async () => {
    const claims = await soundOfFile(wavOf({ dataLength: 0xfffffff0, bytes: 16_000 }), codec);
    expect(claims.length).toBe(8000);
    const odd = await soundOfFile(wavOf({ rate: 7919, bytes: 2 * 7919 }), codec);
    expect(Math.abs(odd.length - 8000)).toBeLessThanOrEqual(1);
    const slow = await soundOfFile(wavOf({ rate: 4001, bytes: 2 * 4001 }), codec);
    expect(Math.abs(slow.length - 8000)).toBeLessThanOrEqual(1);
  });

  it("whose format comes after its sound, or whose chunks are without number, is damaged", async () => {
    const wav = wavOf({ bytes: 160 });
    const turned = Buffer.concat([wav.subarray(0, 12), wav.subarray(36), wav.subarray(12, 36)]);
    await expect(soundOfFile(turned, codec)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    const empty = Buffer.from("JUNK\0\0\0\0", "latin1");
    const chunks = Buffer.concat([wav.subarray(0, 12), Buffer.alloc(2_000_000, empty), wav.subarray(12)]);
    await expect(soundOfFile(chunks, codec)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  it("of many channels lets others work between its pieces, also where its rate is kept", async () => {
    const seconds = 60;
    const wav = wavOf({ channels: 8, bits: 8, bytes: 8 * 8000 * seconds });
    expect(await turnsDuring(() => soundOfFile(wav, codec))).toBeGreaterThan(4 * seconds);
  });

  it("of tiny AAC frames without end is refused before they are all taken apart", async () => {
    // 8 bytes each: a header and one byte.
    const bytes = Buffer.alloc(8 * 1_000_000, Buffer.from([0xff, 0xf1, 0x40, 0x40, 0x01, 0x00, 0x00, 0x00]));
    let cut = 0;
    const whole = bytes.subarray.bind(bytes);
    bytes.subarray = (...range) => {
      cut += 1;
      return whole(...range);
    };
    await expect(soundOfFile(bytes, codec)).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(cut).toBeLessThan(20_000);
  });

  it("is read or refused in words, whatever became of its bytes (seed 1)", async () => {
    const wav = await file(11_025, 2, ["-t", "0.1", "-f", "wav"]);
    const adts = await file(16_000, 1, ["-t", "0.2", "-c:a", "aac", "-f", "adts"]);
    const random = randomOf(1);
    for (let round = 0; round < 300; round += 1) {
      const bytes = Buffer.from(round % 2 === 0 ? wav : adts);
      for (let count = 1 + random(8); count > 0; count -= 1)
        bytes[random(round % 3 === 0 ? 64 : bytes.length)] = random(256);
      const cut = bytes.subarray(0, round % 5 === 0 ? random(bytes.length) : bytes.length);
      const outcome = await soundOfFile(cut, codec).then(
        (sound) => (sound.length <= 121 * 8000 ? "read" : "too much"),
        (error: { code?: string; message: string }) => error.code ?? error.message,
      );
      expect(["read", "BAD_REQUEST", "TOO_LARGE"], `round ${round}`).toContain(outcome);
    }
  });
});

/** Whole numbers from 0 up to a bound, the same for each seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

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
