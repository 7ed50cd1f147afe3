import { execFile } from "node:child_process";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { keptFolder } from "../base/kept-folder.js";

const run = promisify(execFile);
const FRAMES_A_SECOND = 25;
const NANOSECONDS_PER_SECOND = 1_000_000_000;
const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;

export type ClipCodec = "h264" | "h265" | "mpeg4" | "mjpeg";
export type GstVideo = "h264" | "h264b" | "h265" | "h265b" | "mjpeg" | "mpeg4";

/** What a camera sends over and over: ffmpeg's moving test picture, 25 a second, a key frame a second. */
export interface CameraClip {
  readonly codec: ClipCodec;
  /** Encoder arguments of ffmpeg. */
  readonly args: string;
  /** `320x240` when absent; with several the camera changes from one to the next. */
  readonly sizes?: readonly string[];
  /** A filter of ffmpeg behind the test picture. */
  readonly filter?: string;
  /** Of each size; 1 when absent. */
  readonly seconds?: number;
}

/** A clip as `gst_rtsp_server.py` reads it. */
export interface ClipEntry {
  readonly codec: string;
  readonly file: string;
  /** Bytes in the file, bytes to leave out at the front, presentation time in nanoseconds; in decode order. */
  readonly units: readonly (readonly [number, number, number])[];
  readonly roundNs: number;
  /** Of video: pixels of its first picture. */
  readonly size?: readonly number[];
}

/** A picture as ffmpeg decodes it, RGB. */
export interface ShownPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
}

const X265 = "-c:v libx265 -preset ultrafast -x265-params log-level=error:open-gop=0";

/** Clips that most tests need. */
export const GST_CLIPS: Record<GstVideo, CameraClip> = {
  h264: {
    codec: "h264",
    args: "-c:v libx264 -preset ultrafast -tune zerolatency -x264-params aud=1:repeat-headers=1",
  },
  h264b: {
    codec: "h264",
    args: "-c:v libx264 -preset veryfast -bf 2 -x264-params aud=1:open-gop=0:scenecut=0",
  },
  h265: { codec: "h265", args: `${X265}:bframes=0` },
  h265b: { codec: "h265", args: `${X265}:bframes=2` },
  mjpeg: { codec: "mjpeg", args: "-c:v mjpeg -q:v 5 -pix_fmt yuvj420p -huffman default" },
  mpeg4: { codec: "mpeg4", args: "-c:v mpeg4 -q:v 5 -bf 0" },
};
export const GST_VIDEOS = Object.keys(GST_CLIPS) as GstVideo[];

const FORMATS: Record<ClipCodec, string> = { h264: "h264", h265: "hevc", mpeg4: "m4v", mjpeg: "mjpeg" };

const MAKERS = [fileURLToPath(import.meta.url), "/usr/bin/ffmpeg", "/usr/bin/ffprobe"];

export async function ffmpeg(args: readonly string[]): Promise<void> {
  await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args]);
}

/** Encodes a clip into `directory`: an elementary stream, and beside it a Matroska file of each size. */
export async function encodeClip(directory: string, name: string, clip: CameraClip): Promise<ClipEntry> {
  const { codec, sizes = ["320x240"], seconds = 1 } = clip;
  const sizeNs = seconds * NANOSECONDS_PER_SECOND;
  const parts = await Promise.all(
    sizes.map((size, at) => encodePart(directory, `${name}.${at}`, clip, size)),
  );
  const file = `${name}.${FORMATS[codec]}`;
  await writeFile(join(directory, file), Buffer.concat(parts.map((part) => part.bytes)));
  const units = parts.flatMap((part, at) =>
    part.units.map(([size, ptsNs]) => [size, 0, at * sizeNs + ptsNs] as const),
  );
  const size = sizes[0]?.split("x").map(Number) ?? [];
  return { codec, file, units, roundNs: sizes.length * sizeNs, size };
}

async function encodePart(directory: string, name: string, clip: CameraClip, size: string) {
  const { codec, args, filter = "null", seconds = 1 } = clip;
  const kept = await keptFolder({ codec, args, filter, seconds, size }, MAKERS, (folder) =>
    makePart(folder, clip, size),
  );
  await copyFile(join(kept, "clip.mkv"), join(directory, `${name}.mkv`));
  const units: (readonly [number, number])[] = JSON.parse(await readFile(join(kept, "units.json"), "utf8"));
  return { bytes: await readFile(join(kept, "clip.raw")), units };
}

/** A clip of one size: in a container, as an elementary stream, and how long its units are and when they are shown. */
async function makePart(folder: string, clip: CameraClip, size: string): Promise<void> {
  const { codec, args, filter = "null", seconds = 1 } = clip;
  const container = join(folder, "clip.mkv");
  const raw = join(folder, "clip.raw");
  const source = `testsrc2=size=${size}:rate=${FRAMES_A_SECOND}:duration=${seconds},${filter}`;
  await ffmpeg(["-f", "lavfi", "-i", source, "-g", `${FRAMES_A_SECOND}`, ...args.split(" "), container]);
  // Matroska keeps the VOL header apart; cameras send it in front of each key frame.
  const extra = codec === "mpeg4" ? ["-bsf:v", "dump_extra=freq=keyframe"] : [];
  await ffmpeg(["-i", container, "-c", "copy", ...extra, "-f", FORMATS[codec], raw]);
  const [lengths, times] = await Promise.all([
    probe(raw, "size", ["-f", FORMATS[codec]]),
    probe(container, "pts_time"),
  ]);
  const shift = Math.min(...times);
  const units = lengths.map((length, index) => {
    const ptsNs = Math.round(((times[index] ?? 0) - shift) * NANOSECONDS_PER_SECOND);
    return [length, ptsNs] as const;
  });
  await writeFile(join(folder, "units.json"), JSON.stringify(units));
}

async function probe(file: string, entry: string, format: readonly string[] = []): Promise<number[]> {
  const args = ["-v", "error", ...format, "-select_streams", "v", "-show_entries", `packet=${entry}`];
  const { stdout } = await run("ffprobe", [...args, "-of", "csv=p=0", file]);
  return stdout
    .split("\n")
    .map((line) => Number.parseFloat(line))
    .filter((value) => !Number.isNaN(value));
}

/** ffmpeg's pictures of the clip that lies as `name` in `directory`. */
export async function clipPictures(directory: string, name: string): Promise<ShownPicture[]> {
  const files = (await readdir(directory)).filter(
    (file) => file.startsWith(`${name}.`) && file.endsWith(".mkv"),
  );
  const parts = await Promise.all(files.sort().map((file) => picturesOf(join(directory, file))));
  return parts.flat();
}

async function picturesOf(file: string): Promise<ShownPicture[]> {
  const sizeArgs = ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", file];
  const [width = 0, height = 0] = (await run("ffprobe", sizeArgs)).stdout.trim().split(",").map(Number);
  const args = [
    "-v",
    "error",
    "-i",
    file,
    "-fps_mode",
    "passthrough",
    "-f",
    "rawvideo",
    "-pix_fmt",
    "rgb24",
    "-",
  ];
  const { stdout } = await run("ffmpeg", args, { encoding: "buffer", maxBuffer: OUTPUT_BYTES_MAX });
  const bytes = width * height * 3;
  return Array.from({ length: Math.floor(stdout.length / bytes) }, (_, index) => ({
    width,
    height,
    data: stdout.subarray(index * bytes, (index + 1) * bytes),
  }));
}
