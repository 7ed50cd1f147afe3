import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import type { CodedUnit } from "../../../src/picture/index.js";
import { exitText } from "../service/background-process.js";

const run = promisify(execFile);
const START_US = Date.UTC(2026, 10, 21, 9) * 1000;
const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;

/** A clip that ffmpeg encoded, as units and as the file it lies in. */
export interface CodedClip {
  readonly file: string;
  readonly format: VideoFormat;
  /** In decode order. */
  readonly units: readonly CodedUnit[];
}

export interface ClipOptions {
  readonly codec: Codec;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** Encoder flags of ffmpeg, `-c:v` left out. */
  readonly flags?: readonly string[];
  /** A filter of ffmpeg behind its moving test picture. */
  readonly filter?: string;
}

const ENCODERS = new Map<Codec, string>([
  [Codec.H264, "libx264"],
  [Codec.H265, "libx265"],
  [Codec.MPEG4, "mpeg4"],
  [Codec.MJPEG, "mjpeg"],
]);

interface Packet {
  readonly pts: number;
  readonly dts?: number;
  readonly flags: string;
  readonly data: string;
}

/** Encodes ffmpeg's test picture into `directory`/`name`.nut, parameter sets before each key frame. */
export async function codedClip(directory: string, name: string, options: ClipOptions): Promise<CodedClip> {
  const { codec, width, height, frames, flags = [], filter = "null" } = options;
  const file = join(directory, `${name}.nut`);
  const input = [
    "-f",
    "lavfi",
    "-i",
    `testsrc2=s=${width}x${height}:r=25,scale=${width}:${height},${filter}`,
    "-frames:v",
    `${frames}`,
  ];
  const quiet = codec === Codec.H265 ? ["-x265-params", "log-level=error"] : [];
  const encoder = [
    "-c:v",
    ENCODERS.get(codec) ?? "",
    "-threads",
    "1",
    ...quiet,
    ...flags,
    "-bsf:v",
    "dump_extra",
  ];
  await run("ffmpeg", ["-v", "error", "-y", ...input, ...encoder, file]);
  return {
    file,
    format: { codec, width, height, initialization: new Uint8Array(0) },
    units: await unitsOf(file),
  };
}

async function unitsOf(file: string): Promise<CodedUnit[]> {
  const args = ["-v", "error", "-show_packets", "-show_data", "-show_entries"];
  const { stdout } = await run(
    "ffprobe",
    [...args, "packet=pts,dts,flags,data:stream=time_base", "-of", "json", file],
    {
      maxBuffer: OUTPUT_BYTES_MAX,
    },
  );
  const { packets, streams } = JSON.parse(stdout) as {
    packets: Packet[];
    streams: { time_base: string }[];
  };
  const [numerator = 1, denominator = 1] = (streams[0]?.time_base ?? "").split("/").map(Number);
  const toUs = (ticks: number) => START_US + Math.round((ticks * numerator * 1e6) / denominator);
  return packets.map((packet) => ({
    bytes: [bytesOfDump(packet.data)],
    key: packet.flags.startsWith("K"),
    decodeTimeUs: toUs(packet.dts ?? packet.pts),
    presentationOffsetUs: toUs(packet.pts) - toUs(packet.dts ?? packet.pts),
  }));
}

/** ffprobe's dump: lines of an offset, hexadecimal pairs, and the text of it from a fixed column on. */
function bytesOfDump(dump: string): Uint8Array {
  const hex = dump
    .split("\n")
    .map((line) => line.slice(10, 50).replaceAll(" ", ""))
    .join("");
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

/** The pictures ffmpeg decodes of a file, in the order they are shown, each as `pixelFormat` behind `filter`. */
export async function ffmpegPictures(
  file: string,
  options: { readonly pixelFormat: string; readonly pictureBytes: number; readonly filter?: string },
): Promise<Buffer[]> {
  const filter = options.filter ?? "null";
  const args = ["-v", "error", "-threads", "1", "-i", file, "-vsync", "0", "-vf", filter];
  const { stdout } = await run("ffmpeg", [...args, "-f", "rawvideo", "-pix_fmt", options.pixelFormat, "-"], {
    encoding: "buffer",
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return Array.from({ length: stdout.length / options.pictureBytes }, (_, at) =>
    stdout.subarray(at * options.pictureBytes, (at + 1) * options.pictureBytes),
  );
}

/** What ffmpeg decodes of one picture file given on its standard input. */
export async function ffmpegPicture(file: Uint8Array, format: string, pixelFormat: string): Promise<Buffer> {
  const args = ["-v", "error", "-f", format, "-i", "pipe:0", "-f", "rawvideo", "-pix_fmt", pixelFormat, "-"];
  const child = spawn("ffmpeg", args, { stdio: ["pipe", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stdin.end(file);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== 0) throw new Error(`ffmpeg: ${exitText({ code, signal })}`);
  return Buffer.concat(chunks);
}

/** Peak signal to noise ratio of bytes, dB; Infinity when they are equal. */
export function psnr(left: Uint8Array, right: Uint8Array): number {
  if (left.length !== right.length) throw new Error(`${left.length} bytes beside ${right.length}`);
  let squares = 0;
  for (let at = 0; at < left.length; at += 1) squares += ((left[at] ?? 0) - (right[at] ?? 0)) ** 2;
  return squares === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10((255 ** 2 * left.length) / squares);
}

export function yuv420Bytes(width: number, height: number): number {
  return width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2);
}
