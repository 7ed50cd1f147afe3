import { beforeAll, describe, expect, it } from "vitest";
import { type AudioFormat, Codec } from "../../../src/live/codec/codec.js";
import { g711ToPcm, pcmToG711 } from "../../../src/live/codec/g711.js";
import { loadCodecAddon } from "../../../src/picture/codec/codec-addon.js";
import { openSoundTranscoder } from "../../../src/picture/codec/sound-transcoder.js";
import type { SoundForm, SoundPiece } from "../../../src/picture/index.js";
import {
  ffmpegFilter,
  type Heard,
  hear,
  toneAac,
  toneL16,
  toneOpus,
  tonePcm,
} from "../../support/media/tone.js";

const TONE = { frequency: 440, level: 0.5 };
const SECONDS = 2;
const START_US = Date.UTC(2026, 10, 21, 9) * 1000;
const ADDON = loadCodecAddon();

interface Source {
  readonly format: AudioFormat;
  readonly units: readonly { readonly bytes: Uint8Array; readonly timeUs: number }[];
}

function g711Source(codec: Codec, rate = 8000, channels = 1): Source {
  const law = codec === Codec.PCMU ? "mu" : "a";
  const sound = pcmToG711(tonePcm({ ...TONE, rate, seconds: SECONDS, channels }), law);
  const unitBytes = (rate / 50) * channels;
  const units = Array.from({ length: sound.length / unitBytes }, (_, at) => ({
    bytes: sound.subarray(at * unitBytes, (at + 1) * unitBytes),
    timeUs: START_US + at * 20_000,
  }));
  return { format: { codec, sampleRate: rate, channels, initialization: new Uint8Array(0) }, units };
}

async function aacSource(rate: number, channels: number): Promise<Source> {
  const { units, format } = await toneAac({ ...TONE, rate, channels, seconds: SECONDS });
  const timed = units.map((bytes, at) => ({ bytes, timeUs: START_US + Math.round((at * 1024e6) / rate) }));
  return { format, units: timed };
}

/** Every 20 ms. */
function timed(units: readonly Uint8Array[]): Source["units"] {
  return units.map((bytes, at) => ({ bytes, timeUs: START_US + at * 20_000 }));
}

function l16Source(rate: number, channels: number): Source {
  const { units, format } = toneL16({ ...TONE, rate, channels, seconds: SECONDS });
  return { format, units: timed(units) };
}

async function opusSource(channels: number): Promise<Source> {
  const { units, format } = await toneOpus({ ...TONE, channels, seconds: SECONDS });
  return { format, units: timed(units) };
}

async function transcode(source: Source, output: SoundForm, sampleRate?: number): Promise<SoundPiece[]> {
  const options = { input: source.format, output, ...(sampleRate === undefined ? {} : { sampleRate }) };
  const transcoder = openSoundTranscoder(options, ADDON);
  const pieces: SoundPiece[] = [];
  for (const unit of source.units) pieces.push(...(await transcoder.push([unit.bytes], unit.timeUs)));
  transcoder.close();
  return pieces;
}

/** The sound as ffmpeg decodes it, and what is heard of it past its beginning. */
async function listen(pieces: readonly SoundPiece[], output: SoundForm, rate: number): Promise<Heard> {
  const bytes = Buffer.concat(pieces.map((piece) => piece.data));
  const formats = { pcm: "s16le", g711u: "mulaw", g711a: "alaw", aac: "aac" };
  const shape = output === "aac" ? [] : ["-ar", `${rate}`, "-ac", "1"];
  const input = ["-f", formats[output], ...shape, "-i", "pipe:0"];
  const pcm = await ffmpegFilter([...input, "-f", "s16le", "-ac", "1", "-ar", `${rate}`, "pipe:1"], bytes);
  return hear(pcm.subarray(rate, rate + 2 * rate), rate);
}

const SOURCES: readonly (readonly [string, () => Promise<Source> | Source])[] = [
  ["G.711 µ-law", () => g711Source(Codec.PCMU)],
  ["G.711 A-law", () => g711Source(Codec.PCMA)],
  ["G.711 µ-law of 16 kHz, two channels", () => g711Source(Codec.PCMU, 16_000, 2)],
  ["AAC of 8 kHz", () => aacSource(8000, 1)],
  ["AAC of 16 kHz", () => aacSource(16_000, 1)],
  ["AAC of 44.1 kHz, stereo", () => aacSource(44_100, 2)],
  ["AAC of 48 kHz, 5.1", () => aacSource(48_000, 6)],
  ["L16 of 16 kHz", () => l16Source(16_000, 1)],
  ["L16 of 8 kHz", () => l16Source(8000, 1)],
  ["L16 of 48 kHz, stereo", () => l16Source(48_000, 2)],
  ["Opus, mono", () => opusSource(1)],
  ["Opus, stereo", () => opusSource(2)],
];
const OUTPUTS: readonly SoundForm[] = ["pcm", "g711u", "g711a", "aac"];

describe.each(SOURCES)("a tone of 440 Hz at half level in %s", (_, makeSource) => {
  let source: Source;

  beforeAll(async () => {
    source = await makeSource();
  });

  it.each(OUTPUTS)("sounds the same in %s of 8 kHz", async (output) => {
    const pieces = await transcode(source, output);
    const heard = await listen(pieces, output, 8000);
    expect(heard.frequency).toBe(440);
    expect(heard.level).toBeGreaterThan(0.47);
    expect(heard.level).toBeLessThan(0.53);
    expect(heard.purity).toBeGreaterThan(0.98);
  });
});

describe("sound of another rate", () => {
  it.each([
    ["pcm", 16_000],
    ["pcm", 48_000],
    ["aac", 16_000],
    ["aac", 44_100],
    ["aac", 48_000],
  ] as const)("comes as %s of %i Hz", async (output, rate) => {
    const pieces = await transcode(await aacSource(32_000, 1), output, rate);
    const heard = await listen(pieces, output, rate);
    expect(heard.frequency).toBe(440);
    expect(heard.level).toBeCloseTo(0.5, 1);
    const heardUs = pieces.reduce((sum, piece) => sum + piece.durationUs, 0);
    expect(Math.abs(heardUs - SECONDS * 1e6)).toBeLessThan(150_000);
  });

  it("carries no picture of what its rate cannot hold", async () => {
    const source = await toneAac({ frequency: 6000, level: 0.5, rate: 16_000, seconds: SECONDS });
    const units = source.units.map((bytes, at) => ({ bytes, timeUs: START_US + at * 64_000 }));
    const pieces = await transcode({ format: source.format, units }, "pcm");
    const pcm = Buffer.concat(pieces.map((piece) => piece.data));
    expect(hear(pcm.subarray(8000), 8000).level).toBeLessThan(0.01);
  });
});

describe("G.711", () => {
  it("becomes the bytes ffmpeg makes of it, in both laws and back", async () => {
    const pcm = Buffer.alloc(2 * 65_536);
    for (let value = -32_768; value < 32_768; value++) pcm.writeInt16LE(value, 2 * (value + 32_768));
    for (const [law, format] of [
      ["mu", "mulaw"],
      ["a", "alaw"],
    ] as const) {
      const shape = ["-ar", "8000", "-ac", "1"];
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const expanded = ["-f", format, ...shape, "-i", "pipe:0", "-f", "s16le", "pipe:1"];
      expect(Buffer.from(g711ToPcm([bytes], law))).toEqual(await ffmpegFilter(expanded, bytes));
      // Between two values of the law either may be taken: it must be one of the two nearest.
      const back = Buffer.from(g711ToPcm([pcmToG711(pcm, law)], law));
      for (let value = -32_768; value < 32_768; value++) {
        const step = Math.max(16, Math.abs(value) / 16);
        const far = Math.abs(back.readInt16LE(2 * (value + 32_768)) - value);
        if (far > Math.max(step, 644)) expect.fail(`${law} ${value}: ${far} off`);
      }
      const again = pcmToG711(g711ToPcm([bytes], law), law);
      // µ-law has a negative zero, which comes back as the other one.
      expect([...again].filter((byte, at) => byte !== at)).toEqual(law === "mu" ? [0xff] : []);
    }
  });
});
