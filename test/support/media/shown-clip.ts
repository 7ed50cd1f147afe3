import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Codec } from "../../../src/live/codec/codec.js";
import type { CodedUnit } from "../../../src/picture/index.js";
import { keptFolder } from "../base/kept-folder.js";

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;
const US = 1_000_000;
const MAKERS = [fileURLToPath(import.meta.url), "/usr/bin/ffmpeg", "/usr/bin/ffprobe"];
const CLIP_FILE = "clip.nut";
const RAW_FILE = "clip.raw";
const PACKETS_FILE = "packets.json";

export interface ClipOptions {
  readonly codec: "h264" | "h265" | "mpeg4" | "mjpeg";
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  /** Frames from one key frame to the next. */
  readonly gopFrames: number;
  readonly bFrames?: number;
  /** Further arguments of ffmpeg's encoder. */
  readonly arguments?: readonly string[];
}

/** A clip as a camera would send it. */
export interface SentClip {
  readonly codec: Codec;
  /** As they are sent; times from 0. */
  readonly units: readonly CodedUnit[];
}

/** The same, and what ffmpeg decodes of it. */
export interface ShownClip extends SentClip {
  /** ffmpeg's pictures in the order they are shown, RGB. */
  readonly pictures: readonly Buffer[];
}

const ENCODERS = {
  h264: ["-c:v", "libx264", "-preset", "ultrafast", "-x264-params", "scenecut=0:bframes=BF:b-adapt=0"],
  h265: [
    "-c:v",
    "libx265",
    "-preset",
    "ultrafast",
    "-x265-params",
    "log-level=none:scenecut=0:bframes=BF:repeat-headers=1",
  ],
  mpeg4: ["-c:v", "mpeg4", "-q:v", "3"],
  mjpeg: ["-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p"],
} as const;
const RAW_FORMATS = { h264: "h264", h265: "hevc", mpeg4: "m4v", mjpeg: "mjpeg" } as const;
const CODECS = { h264: Codec.H264, h265: Codec.H265, mpeg4: Codec.MPEG4, mjpeg: Codec.MJPEG } as const;

/** 25 pictures a second, each with its own time written in, encoded by ffmpeg once for all tests and runs that want the same. */
export async function sentClip(options: ClipOptions): Promise<SentClip> {
  const folder = await keptClip(options);
  const packets: Packet[] = JSON.parse(await readFile(join(folder, PACKETS_FILE), "utf8"));
  return {
    codec: CODECS[options.codec],
    units: unitsOf(await readFile(join(folder, RAW_FILE)), packets),
  };
}

/** The same with its pictures, each of which takes three bytes for each of its points. */
export async function shownClip(options: ClipOptions): Promise<ShownClip> {
  const { width, height } = options;
  const sent = await sentClip(options);
  const clip = join(await keptClip(options), CLIP_FILE);
  const { stdout } = await run(
    "ffmpeg",
    ["-v", "error", "-i", clip, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
    { encoding: "buffer", maxBuffer: OUTPUT_BYTES_MAX },
  );
  return { ...sent, pictures: pieces(stdout, width * height * 3) };
}

function keptClip(options: ClipOptions): Promise<string> {
  return keptFolder({ shown: options }, MAKERS, (folder) => encode(folder, options));
}

async function encode(folder: string, options: ClipOptions): Promise<void> {
  const { codec, width, height, seconds, gopFrames, bFrames = 0 } = options;
  const clip = join(folder, CLIP_FILE);
  const source = ["-f", "lavfi", "-i", `testsrc2=size=${width}x${height}:rate=25`, "-t", `${seconds}`];
  const encoder = ENCODERS[codec].map((text) => text.replace("BF", `${bFrames}`));
  // Parameter sets before each key frame, as a camera's frames have them.
  const gop =
    codec === "mjpeg"
      ? []
      : ["-pix_fmt", "yuv420p", "-g", `${gopFrames}`, "-bf", `${bFrames}`, "-bsf:v", "dump_extra=freq=k"];
  await ffmpeg([...source, ...encoder, ...gop, ...(options.arguments ?? []), "-f", "nut", clip]);
  await ffmpeg(["-i", clip, "-c", "copy", "-f", RAW_FORMATS[codec], join(folder, RAW_FILE)]);
  await writeFile(join(folder, PACKETS_FILE), JSON.stringify(await packetsOf(clip)));
}

async function ffmpeg(args: readonly string[]): Promise<void> {
  await run("ffmpeg", ["-v", "error", "-y", ...args]);
}

interface Packet {
  readonly size: number;
  readonly key: boolean;
  readonly presentationUs: number;
}

async function packetsOf(file: string): Promise<Packet[]> {
  const args = ["-v", "error", "-show_entries", "packet=size,flags,pts_time", "-of", "json", file];
  const { stdout } = await run("ffprobe", args, { maxBuffer: OUTPUT_BYTES_MAX });
  const parsed = JSON.parse(stdout) as { packets: Record<string, string>[] };
  return parsed.packets.map((packet) => ({
    size: Number(packet.size),
    key: packet.flags?.startsWith("K") === true,
    presentationUs: Math.round(Number(packet.pts_time) * US),
  }));
}

/** Decode times follow one another evenly, as late as presentation allows. */
function unitsOf(raw: Buffer, sent: readonly Packet[]): CodedUnit[] {
  const times = sent.map((packet) => packet.presentationUs).sort((one, other) => one - other);
  const delayUs = Math.max(...sent.map(({ presentationUs }, index) => (times[index] ?? 0) - presentationUs));
  const firstUs = times[0] ?? 0;
  let at = 0;
  return sent.map(({ size, key, presentationUs }, index) => {
    const bytes = [raw.subarray(at, at + size)];
    at += size;
    const decodeTimeUs = (times[index] ?? 0) - firstUs;
    return {
      bytes,
      key,
      decodeTimeUs,
      presentationOffsetUs: presentationUs - firstUs + delayUs - decodeTimeUs,
    };
  });
}

function pieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** Peak signal-to-noise ratio of two pictures in decibels; infinite when they are equal. */
export function psnr(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) throw new Error(`pictures of ${one.length} and ${other.length} bytes`);
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += ((one[at] ?? 0) - (other[at] ?? 0)) ** 2;
  return 10 * Math.log10((255 * 255 * one.length) / sum);
}
