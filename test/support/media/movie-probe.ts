import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** What ffprobe says of a file, a URL too. */
export interface ProbedMovie {
  /** Warnings and errors; empty when it has nothing to say. */
  readonly complaints: string;
  readonly format: { readonly duration?: string; readonly tags?: Record<string, string> };
  readonly streams: readonly Record<string, string | number | undefined>[];
}

export async function probeMovie(input: string): Promise<ProbedMovie> {
  const args = ["-v", "warning", "-show_format", "-show_streams", "-of", "json", input];
  const { stdout, stderr } = await run("ffprobe", args, { maxBuffer: OUTPUT_BYTES_MAX });
  return { complaints: stderr, ...(JSON.parse(stdout) as Omit<ProbedMovie, "complaints">) };
}

/** MD5 of each frame that ffmpeg decodes, in the order shown. Throws when it complains of anything. */
export async function decodedFrames(input: readonly string[], map = "0:v:0"): Promise<string[]> {
  const args = ["-v", "warning", ...input, "-map", map, "-fps_mode", "passthrough", "-f", "framemd5", "-"];
  const { stdout, stderr } = await run("ffmpeg", args, { maxBuffer: OUTPUT_BYTES_MAX });
  if (stderr !== "") throw new Error(`ffmpeg: ${stderr}`);
  return hashesOf(stdout);
}

/** MD5 of each packet as it stands in the file, in decode order, Annex B for H.264 and H.265. */
export function hashesOf(framemd5: string): string[] {
  return framemd5
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(",").at(-1)?.trim() ?? "");
}

/** Times and flags of a stream's packets, as ffprobe reads them. */
export async function packetsOf(
  input: string,
  stream: string,
): Promise<{ ptsS: number; dtsS: number; durationS: number; key: boolean; bytes: number }[]> {
  const args = ["-v", "error", "-select_streams", stream, "-show_packets", "-of", "json", input];
  const { stdout } = await run("ffprobe", args, { maxBuffer: OUTPUT_BYTES_MAX });
  const { packets } = JSON.parse(stdout) as { packets: Record<string, string>[] };
  return packets.map((packet) => ({
    ptsS: Number(packet.pts_time),
    dtsS: Number(packet.dts_time),
    durationS: Number(packet.duration_time),
    key: packet.flags?.startsWith("K") === true,
    bytes: Number(packet.size),
  }));
}

/** What GStreamer makes of a file: how long it is, and how many pictures of each video track it decodes. */
export async function gstreamerPictures(
  file: string,
): Promise<{ readonly seconds: number; readonly pictures: readonly number[] }> {
  const script = new URL("gst_pictures.py", import.meta.url).pathname;
  const { stdout } = await run("/usr/bin/python3", [script, file], { maxBuffer: OUTPUT_BYTES_MAX });
  return JSON.parse(stdout) as { seconds: number; pictures: number[] };
}
