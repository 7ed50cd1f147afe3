// Own process: it measures the memory of its process, to which it gives hostile input.
import { afterEach, describe, expect, it } from "vitest";
import { type AudioFormat, Codec } from "../../../src/live/codec/codec.js";
import { SOUND_UNIT_BYTES_MAX } from "../../../src/picture/codec/sound-transcoder.js";
import { NativeCodec, type SoundForm, type SoundTranscoder } from "../../../src/picture/index.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import { toneAac } from "../../support/media/tone.js";

const CODEC = new NativeCodec();
const NONE = new Uint8Array(0);
const OPENED: SoundTranscoder[] = [];

afterEach(() => {
  for (const transcoder of OPENED.splice(0)) transcoder.close();
});

function open(input: AudioFormat, output: SoundForm = "pcm", sampleRate = 8000): SoundTranscoder {
  const transcoder = CODEC.openSoundTranscoder({ input, output, sampleRate });
  OPENED.push(transcoder);
  return transcoder;
}

const aac = (initialization: Uint8Array): AudioFormat => ({
  codec: Codec.AAC,
  sampleRate: 16_000,
  channels: 1,
  initialization,
});
const g711 = (change: Partial<AudioFormat>): AudioFormat => ({
  codec: Codec.PCMU,
  sampleRate: 8000,
  channels: 1,
  initialization: NONE,
  ...change,
});
const CONFIG = Buffer.from("1408", "hex");

describe("sound that is broken", () => {
  it("is skipped, and the sound continues after it", async () => {
    const { units, format } = await toneAac({ frequency: 440, level: 0.5, rate: 16_000, seconds: 1 });
    const transcoder = open(format);
    let samples = 0;
    for (const [at, unit] of units.entries()) {
      const bytes = at % 4 === 2 ? Buffer.alloc(0) : unit;
      for (const piece of await transcoder.push([bytes], at * 64_000)) samples += piece.data.length / 2;
    }
    expect(samples).toBeGreaterThan(units.length * 512 * 0.7);
  });

  it("is an error after fifty units in a row, and taken again when it is good", async () => {
    const { units, format } = await toneAac({ frequency: 440, level: 0.5, rate: 16_000, seconds: 1 });
    const transcoder = open(format);
    for (let at = 0; at < 49; at++) expect(await transcoder.push([NONE], at * 64_000)).toEqual([]);
    await expect(transcoder.push([NONE], 49 * 64_000)).rejects.toMatchObject({
      name: "CodecError",
      kind: "corrupt",
    });
    const pieces = await transcoder.push([units[3] ?? NONE], 50 * 64_000);
    expect(pieces).toHaveLength(1);
  });

  it("neither ends the process nor hangs it, whatever its bytes are", async () => {
    const random = new SeededRandom(1);
    const bytes = (length: number): Buffer =>
      Buffer.from(Array.from({ length }, () => Math.floor(random.next() * 256)));
    for (let round = 0; round < 60; round++) {
      const config = round % 2 === 0 ? CONFIG : bytes(2 + (round % 30));
      const transcoder = open(aac(config), round % 3 === 0 ? "aac" : "pcm");
      for (let at = 0; at < 40; at++) {
        const timeUs = Math.floor(random.next() * 1e15) - 5e14;
        await transcoder
          .push([bytes(1 + Math.floor(random.next() * 600))], timeUs)
          .catch((error: unknown) => {
            expect(error).toMatchObject({ name: "CodecError" });
          });
      }
      transcoder.close();
    }
  });

  it("is refused with an invalid configuration", async () => {
    for (const config of [NONE, Buffer.alloc(600), Buffer.from([0xff]), Buffer.from("ffffffffff", "hex")])
      await expect(open(aac(config)).push([Buffer.alloc(100)], 0)).rejects.toMatchObject({
        name: "CodecError",
      });
  });

  it("is refused beyond the bounds on length, channels and rate", async () => {
    const long = Buffer.alloc(SOUND_UNIT_BYTES_MAX + 1);
    await expect(open(g711({})).push([long], 0)).rejects.toMatchObject({ kind: "too-large" });
    await expect(open(aac(CONFIG)).push([long], 0)).rejects.toMatchObject({ kind: "too-large" });
    for (const change of [{ channels: 9 }, { channels: 0 }, { sampleRate: 192_001 }, { sampleRate: 0 }])
      expect(() => open(g711(change))).toThrow(/sound of/);
    expect(() => open(g711({}), "pcm", 400_000)).toThrow(/sound of/);
    expect(() => open(g711({}), "g711a", 16_000)).toThrow(/8000 samples a second/);
    await expect(open(g711({}), "aac", 8001).push([Buffer.alloc(160)], 0)).rejects.toMatchObject({
      kind: "unsupported",
    });
  });

  it("is refused when the transcoder is closed", async () => {
    for (const transcoder of [open(g711({})), open(aac(CONFIG))]) {
      transcoder.close();
      await expect(transcoder.push([Buffer.alloc(10)], 0)).rejects.toMatchObject({ kind: "closed" });
    }
  });
});

describe("a transcoder", () => {
  it("leaves nothing behind when it is opened and closed a thousand times", async () => {
    const { units, format } = await toneAac({ frequency: 440, level: 0.5, rate: 16_000, seconds: 1 });
    const round = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at++) {
        const transcoder = CODEC.openSoundTranscoder({ input: format, output: "aac" });
        for (let unit = 0; unit < 3; unit++) await transcoder.push([units[unit] ?? NONE], unit * 64_000);
        transcoder.close();
      }
    };
    await round(200);
    const before = process.memoryUsage().rss;
    await round(1000);
    expect(process.memoryUsage().rss - before).toBeLessThan(30_000_000);
    expect(CODEC.load.open).toBe(0);
  });

  it("closed while it works rejects what waits and harms nothing", async () => {
    const { units, format } = await toneAac({ frequency: 440, level: 0.5, rate: 16_000, seconds: 1 });
    for (let round = 0; round < 50; round++) {
      const transcoder = CODEC.openSoundTranscoder({ input: format, output: "pcm" });
      const pushes = units.map((unit, at) => transcoder.push([unit], at * 64_000));
      transcoder.close();
      const settled = await Promise.allSettled(pushes);
      for (const push of settled)
        if (push.status === "rejected") expect(push.reason).toMatchObject({ kind: "closed" });
    }
    expect(CODEC.load.open).toBe(0);
  });
});
