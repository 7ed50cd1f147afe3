import { afterEach, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { pcmToG711 } from "../../../src/live/codec/g711.js";
import { loadCodecAddon } from "../../../src/picture/codec/codec-addon.js";
import { openSoundTranscoder } from "../../../src/picture/codec/sound-transcoder.js";
import type { SoundForm, SoundPiece, SoundTranscoder } from "../../../src/picture/index.js";
import { ffmpegFilter, hear, toneAac, tonePcm } from "../../support/media/tone.js";

const START_US = Date.UTC(2026, 10, 21, 9) * 1000;
const ADDON = loadCodecAddon();
const AAC_RATE = 16_000;
const UNIT_US = 64_000;
/** How long the camera's clock runs fast: at the tenth minute by 180 ms. `npm run torture -- sound-time` asks for an hour. */
const SECONDS = Number(process.env.NVRD_TEST_SOUND_SECONDS ?? 300);
const OPENED: SoundTranscoder[] = [];

afterEach(() => {
  for (const transcoder of OPENED.splice(0)) transcoder.close();
});

async function openTone(output: SoundForm, sampleRate = 8000) {
  const { units, format } = await toneAac({ frequency: 440, level: 0.5, rate: AAC_RATE, seconds: 2 });
  const transcoder = openSoundTranscoder({ input: format, output, sampleRate }, ADDON);
  OPENED.push(transcoder);
  return { units, transcoder };
}

const endUs = (piece: SoundPiece | undefined): number => (piece?.timeUs ?? 0) + (piece?.durationUs ?? 0);

describe("the times of converted sound", () => {
  it.each(["pcm", "g711u", "aac"] as const)(
    `follow a camera whose clock runs 300 ppm fast in %s through ${SECONDS} s`,
    { timeout: 60_000 + SECONDS * 100 },
    async (output) => {
      const { units, transcoder } = await openTone(output);
      const unitUs = UNIT_US * 1.0003;
      let before: SoundPiece | undefined;
      const count = Math.round((SECONDS * 1e6) / UNIT_US);
      for (let at = 0; at < count; at++) {
        const timeUs = START_US + Math.round(at * unitUs);
        const pieces = await transcoder.push([units[at % units.length] ?? Buffer.alloc(0)], timeUs);
        for (const piece of pieces) {
          // The AAC encoder holds a frame of 128 ms back while it fills another; the resampler holds a few samples.
          const lagUs = timeUs + UNIT_US - endUs(piece);
          if (lagUs < -1000 || lagUs > (output === "aac" ? 400_000 : 5000))
            expect.fail(`${at}: lag of ${lagUs} µs`);
          if (before !== undefined && Math.abs(piece.timeUs - endUs(before)) > 200)
            expect.fail(`${at}: ${piece.timeUs - endUs(before)} µs between two pieces`);
          before = piece;
        }
      }
      expect(endUs(before)).toBeGreaterThan(START_US + count * unitUs - 400_000);
    },
  );

  it("are those of the tone's beginning, without the encoder's delay", async () => {
    // Half a second of silence, then the tone: where it sets in tells the time of a sample.
    const rate = 8000;
    const pcm = Buffer.concat([
      Buffer.alloc(rate),
      tonePcm({ frequency: 440, level: 0.5, rate, seconds: 1 }),
    ]);
    const input = { codec: Codec.PCMU, sampleRate: rate, channels: 1, initialization: new Uint8Array(0) };
    const sound = pcmToG711(pcm, "mu");
    const transcoder = openSoundTranscoder({ input, output: "aac" }, ADDON);
    OPENED.push(transcoder);
    const pieces: SoundPiece[] = [];
    for (let at = 0; at < sound.length; at += 160)
      pieces.push(...(await transcoder.push([sound.subarray(at, at + 160)], START_US + at * 125)));
    const bytes = Buffer.concat(pieces.map((piece) => piece.data));
    const decoded = await ffmpegFilter(["-f", "aac", "-i", "pipe:0", "-f", "s16le", "pipe:1"], bytes);
    const loudAt = Array.from({ length: decoded.length / 2 }, (_, at) =>
      decoded.readInt16LE(2 * at),
    ).findIndex((value) => Math.abs(value) > 4000);
    const loudUs = (pieces[0]?.timeUs ?? 0) + loudAt * 125 - START_US;
    expect(Math.abs(loudUs - 500_000)).toBeLessThan(5000);
  });

  it.each(["pcm", "g711u", "aac"] as const)(
    "never go back in %s where a stalled link brings seconds of sound at once",
    async (output) => {
      const { units, transcoder } = await openTone(output);
      const times: number[] = [];
      for (let at = 0; at < 100; at++) {
        const timeUs = START_US + (at < 20 ? at * UNIT_US : 20 * UNIT_US + at * at * 60);
        const pieces = await transcoder.push([units[at % units.length] ?? Buffer.alloc(0)], timeUs);
        times.push(...pieces.map((piece) => piece.timeUs));
      }
      expect(times.length).toBeGreaterThan(30);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
    },
  );

  it.each([
    ["a gap", 5_000_000],
    ["a step back", -5_000_000],
  ])("start anew after %s, without made-up silence", async (_, stepUs) => {
    const { units, transcoder } = await openTone("pcm");
    const pieces: SoundPiece[] = [];
    for (const [at, unit] of units.entries()) {
      const timeUs = START_US + at * UNIT_US + (at >= 16 ? stepUs : 0);
      pieces.push(...(await transcoder.push([unit], timeUs)));
    }
    const steps = pieces.filter(
      (piece, at) => at > 0 && Math.abs(piece.timeUs - endUs(pieces[at - 1])) > 1000,
    );
    expect(steps).toHaveLength(1);
    expect(steps[0]?.timeUs).toBe(START_US + 16 * UNIT_US + stepUs);
    const heardUs = pieces.reduce((sum, piece) => sum + piece.durationUs, 0);
    expect(Math.abs(heardUs - units.length * UNIT_US)).toBeLessThan(10_000);
    const pcm = Buffer.concat(pieces.map((piece) => piece.data));
    for (let at = 4000; at + 1600 < pcm.length; at += 1600)
      expect(hear(pcm.subarray(at, at + 1600), 8000).level).toBeGreaterThan(0.2);
  });

  it("continue after a short loss, without inserted silence", async () => {
    const { units, transcoder } = await openTone("pcm");
    const pieces: SoundPiece[] = [];
    for (const [at, unit] of units.entries()) {
      if (at === 10) continue;
      pieces.push(...(await transcoder.push([unit], START_US + at * UNIT_US)));
    }
    const heardUs = pieces.reduce((sum, piece) => sum + piece.durationUs, 0);
    expect(Math.abs(heardUs - (units.length - 1) * UNIT_US)).toBeLessThan(5000);
    const last = endUs(pieces.at(-1)) - (START_US + units.length * UNIT_US);
    expect(Math.abs(last)).toBeLessThan(10_000);
  });
});
