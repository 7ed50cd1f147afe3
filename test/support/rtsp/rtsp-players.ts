import { spawn } from "node:child_process";
import { once } from "node:events";
import { PATIENCE_MS } from "../base/patience.js";

export interface PlayerResult {
  readonly output: Buffer;
  readonly errors: string;
  readonly status: number | null;
}

/** Runs a player that writes to standard output until it ends, or until it has written `untilBytes`. */
export async function runPlayer(
  command: string,
  args: readonly string[],
  options: { untilBytes?: number; timeoutMs?: number } = {},
): Promise<PlayerResult> {
  const { untilBytes = Number.POSITIVE_INFINITY, timeoutMs = PATIENCE_MS } = options;
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  let byteLength = 0;
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    byteLength += chunk.length;
    if (byteLength >= untilBytes) child.kill("SIGKILL");
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const timer = setTimeout(() => {
    errors += `${command} was stopped after ${timeoutMs} ms\n`;
    child.kill("SIGKILL");
  }, timeoutMs);
  const [status, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(timer);
  // A player that was ended here is no fault.
  if (signal !== null && !child.killed) errors += `${command} ended: signal ${signal}\n`;
  return { output: Buffer.concat(chunks), errors, status };
}

/** Copies a stream with ffmpeg over RTSP interleaved; `format` is the muxer for standard output. */
export function ffmpegCopy(url: string, format: string, args: readonly string[]): Promise<PlayerResult> {
  const input = ["-v", "error", "-rtsp_transport", "tcp", "-i", url];
  return runPlayer("ffmpeg", [...input, ...args, "-c", "copy", "-f", format, "pipe:1"]);
}

/** Takes a stream with GStreamer's rtspsrc; `pipeline` follows it and ends in Annex B or samples. */
export function gstreamerTake(url: string, pipeline: string, untilBytes: number): Promise<PlayerResult> {
  const source = `rtspsrc location=${url} protocols=tcp latency=0 ! ${pipeline} ! fdsink fd=1`;
  return runPlayer("gst-launch-1.0", ["-q", ...source.split(" ")], { untilBytes });
}

/** Makes a stream with ffmpeg from its test picture and tone. */
export async function ffmpegMake(args: readonly string[]): Promise<Buffer> {
  const { output, errors, status } = await runPlayer("ffmpeg", ["-v", "error", ...args, "pipe:1"]);
  if (status !== 0) throw new Error(`ffmpeg: ${errors}`);
  return output;
}
