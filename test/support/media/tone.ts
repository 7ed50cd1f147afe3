import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AudioFormat, Codec } from "../../../src/live/codec/codec.js";
import { OPUS_RATE, opusHeader } from "../../../src/live/codec/opus.js";
import { adtsUnits } from "./elementary-stream.js";

/** A sine of a known frequency and level. */
export interface Tone {
  readonly frequency: number;
  /** Peak, as a part of full scale. */
  readonly level: number;
}

/** What was heard: the strongest frequency to within `stepHz`, its peak level, and how much of the power it is. */
export interface Heard {
  readonly frequency: number;
  readonly level: number;
  /** 1: a pure tone. */
  readonly purity: number;
}

/** Samples of a tone, 16 bits, little endian, the same on all channels. */
export function tonePcm(options: Tone & { rate: number; seconds: number; channels?: number }): Buffer {
  const { frequency, level, rate, seconds, channels = 1 } = options;
  const count = Math.round(rate * seconds);
  const pcm = Buffer.alloc(count * channels * 2);
  for (let at = 0; at < count; at++) {
    const value = Math.round(level * 32_767 * Math.sin((2 * Math.PI * frequency * at) / rate));
    for (let channel = 0; channel < channels; channel++)
      pcm.writeInt16LE(value, 2 * (at * channels + channel));
  }
  return pcm;
}

/**
 * Looks for the strongest of the frequencies from 100 Hz to `rate`/2 in steps of 20 Hz (Goertzel's algorithm), in the
 * first half second.
 */
export function hear(pcm: Uint8Array, rate: number): Heard {
  const samples = Buffer.from(pcm);
  const values = Float64Array.from(
    { length: Math.min(rate, samples.length) >> 1 },
    (_, at) => samples.readInt16LE(2 * at) / 32_768,
  );
  let best = { frequency: 0, level: 0 };
  for (let frequency = 100; frequency < rate / 2; frequency += 20) {
    const level = levelAt(values, frequency, rate);
    if (level > best.level) best = { frequency, level };
  }
  const power = values.reduce((sum, value) => sum + value * value, 0) / Math.max(1, values.length);
  return { ...best, purity: power === 0 ? 0 : best.level ** 2 / 2 / power };
}

function levelAt(values: Float64Array, frequency: number, rate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / rate);
  let before = 0;
  let last = 0;
  for (const value of values) {
    const next = value + coefficient * last - before;
    before = last;
    last = next;
  }
  const power = before * before + last * last - coefficient * before * last;
  return (2 * Math.sqrt(Math.max(0, power))) / Math.max(1, values.length);
}

/** Runs ffmpeg with `input` on its standard input; answers its standard output. Rejects with what it complained of. */
export async function ffmpegFilter(args: readonly string[], input: Uint8Array): Promise<Buffer> {
  const child = spawn("ffmpeg", ["-v", "warning", "-nostdin", ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const output: Buffer[] = [];
  let complaint = "";
  child.stdout.on("data", (bytes: Buffer) => output.push(bytes));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  child.stdin.on("error", (error: Error) => {
    complaint += error.message;
  });
  child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number | null];
  // Raw sound names no layout, and ffmpeg says what it takes it for.
  complaint = complaint.replace(/^.*Guessed Channel Layout.*\n/gm, "");
  if (code !== 0 || complaint !== "") throw new Error(`ffmpeg ${args.join(" ")}: ${code} ${complaint}`);
  return Buffer.concat(output);
}

/** A tone as AAC: its raw access units, 1024 samples each, as a camera sends them. */
export async function toneAac(
  options: Tone & { rate: number; seconds: number; channels?: number },
): Promise<{ units: Buffer[]; format: AudioFormat }> {
  const { rate, channels = 1 } = options;
  const input = ["-f", "s16le", "-ar", `${rate}`, "-ac", `${channels}`, "-i", "pipe:0"];
  const adts = await ffmpegFilter(
    [...input, "-c:a", "aac", "-b:a", `${32 * channels}k`, "-f", "adts", "pipe:1"],
    tonePcm(options),
  );
  return { units: adtsUnits(adts), format: aacFormat(adts, rate, channels) };
}

/** A tone as Opus: its packets of 20 ms, 960 samples each, as a camera sends them. */
export async function toneOpus(
  options: Tone & { seconds: number; channels?: number },
): Promise<{ units: Buffer[]; format: AudioFormat }> {
  const { channels = 1 } = options;
  const input = ["-f", "s16le", "-ar", "48000", "-ac", `${channels}`, "-i", "pipe:0"];
  const ogg = await ffmpegFilter(
    [...input, "-c:a", "libopus", "-b:a", "64k", "-f", "ogg", "pipe:1"],
    tonePcm({ ...options, rate: OPUS_RATE }),
  );
  const format = { codec: Codec.OPUS, sampleRate: OPUS_RATE, channels: 2, initialization: opusHeader(2) };
  // The first two packets are headers (RFC 7845, 3).
  return { units: oggPackets(ogg).slice(2), format };
}

/** The packets of an Ogg stream (RFC 3533, 6). */
function oggPackets(ogg: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  let pieces: Buffer[] = [];
  for (let at = 0; at < ogg.length; ) {
    const count = ogg[at + 26] ?? 0;
    let data = at + 27 + count;
    for (const size of ogg.subarray(at + 27, data)) {
      pieces.push(ogg.subarray(data, data + size));
      data += size;
      if (size === 255) continue;
      packets.push(Buffer.concat(pieces));
      pieces = [];
    }
    at = data;
  }
  return packets;
}

/** A tone as L16: packets of 20 ms, in network order. */
export function toneL16(options: Tone & { rate: number; seconds: number; channels?: number }): {
  units: Buffer[];
  format: AudioFormat;
} {
  const { rate, channels = 1 } = options;
  const samples = tonePcm(options).swap16();
  const unitBytes = (rate / 50) * channels * 2;
  const units = Array.from({ length: Math.floor(samples.length / unitBytes) }, (_, at) =>
    samples.subarray(at * unitBytes, (at + 1) * unitBytes),
  );
  const format = { codec: Codec.L16, sampleRate: rate, channels, initialization: new Uint8Array(0) };
  return { units, format };
}

/** The format of an ADTS stream, with the AudioSpecificConfig its first header tells (ISO/IEC 14496-3, 1.6.2.1). */
function aacFormat(adts: Buffer, sampleRate: number, channels: number): AudioFormat {
  const second = adts[2] ?? 0;
  const objectType = (second >> 6) + 1;
  const rateIndex = (second >> 2) & 15;
  const config = (objectType << 11) | (rateIndex << 7) | (channels << 3);
  return {
    codec: Codec.AAC,
    sampleRate,
    channels,
    initialization: Buffer.from([config >> 8, config & 0xff]),
  };
}
