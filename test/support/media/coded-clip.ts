import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Codec, type VideoFormat } from "../../../src/live/codec/codec.js";
import type { CodedUnit } from "../../../src/picture/index.js";
import { keptFolder } from "../base/kept-folder.js";
import { exitText } from "../service/background-process.js";

const run = promisify(execFile);
const START_US = Date.UTC(2026, 10, 21, 9) * 1000;
const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;
const MAKERS = [fileURLToPath(import.meta.url), "/usr/bin/ffmpeg", "/usr/bin/ffprobe"];
const CLIP_FILE = "clip.nut";
const BYTES_FILE = "units.bin";
const UNITS_FILE = "units.json";

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

/** What a unit is, beside its bytes. */
interface KeptUnit extends Omit<CodedUnit, "bytes"> {
  readonly length: number;
}

interface Packet {
  readonly pts: number;
  readonly dts?: number;
  readonly flags: string;
  readonly data: string;
}

/**
 * ffmpeg's test picture, encoded once for all tests and runs that want the same, parameter sets before each key frame. Nobody
 * writes to the file.
 */
export async function codedClip(options: ClipOptions): Promise<CodedClip> {
  const { codec, width, height } = options;
  const folder = await keptFolder({ coded: options }, MAKERS, (made) => encode(made, options));
  return {
    file: join(folder, CLIP_FILE),
    format: { codec, width, height, initialization: new Uint8Array(0) },
    units: await unitsIn(folder),
  };
}

async function encode(folder: string, options: ClipOptions): Promise<void> {
  const { codec, width, height, frames, flags = [], filter = "null" } = options;
  const file = join(folder, CLIP_FILE);
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
  await keepUnits(folder, file);
}

/** Keeps the bytes of the packets one after the other, and beside them what ffprobe says of each. */
async function keepUnits(folder: string, file: string): Promise<void> {
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
  const bytes = packets.map(({ data }) => bytesOfDump(data));
  const kept = packets.map(
    ({ pts, dts = pts, flags }, at): KeptUnit => ({
      length: bytes[at]?.length ?? 0,
      key: flags.startsWith("K"),
      decodeTimeUs: toUs(dts),
      presentationOffsetUs: toUs(pts) - toUs(dts),
    }),
  );
  await writeFile(join(folder, BYTES_FILE), Buffer.concat(bytes));
  await writeFile(join(folder, UNITS_FILE), JSON.stringify(kept));
}

async function unitsIn(folder: string): Promise<CodedUnit[]> {
  const all = await readFile(join(folder, BYTES_FILE));
  const kept: KeptUnit[] = JSON.parse(await readFile(join(folder, UNITS_FILE), "utf8"));
  let end = 0;
  return kept.map(({ length, ...unit }) => {
    end += length;
    return { ...unit, bytes: [Uint8Array.from(all.subarray(end - length, end))] };
  });
}

/** ffprobe's dump: lines of an offset, hexadecimal pairs, and the text of it from a fixed column on. */
function bytesOfDump(dump: string): Buffer {
  const hex = dump
    .split("\n")
    .map((line) => line.slice(10, 50).replaceAll(" ", ""))
    .join("");
  return Buffer.from(hex, "hex");
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
