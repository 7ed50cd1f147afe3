import { spawn } from "node:child_process";
import { once } from "node:events";
import { exitText } from "../service/background-process.js";

export interface Decoded {
  /** What ffmpeg complained of; empty when it decoded all without an error. */
  readonly errors: string;
  readonly frames: number;
}

/** Decodes an elementary stream with ffmpeg (`-f null`). `format`: h264, hevc, m4v, mjpeg. */
export async function decode(bytes: Buffer, format: string): Promise<Decoded> {
  const args = ["-v", "error", "-f", format, "-i", "pipe:0", "-f", "null", "-progress", "pipe:1", "-"];
  const child = spawn("ffmpeg", args, { stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  let progress = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    progress += text;
  });
  child.stdin.on("error", (error: Error) => {
    errors += `input: ${error.message}\n`;
  });
  child.stdin.end(bytes);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== 0) errors += `${exitText({ code, signal })}\n`;
  const counts = [...progress.matchAll(/^frame=\s*(\d+)$/gm)];
  return { errors, frames: Number(counts.at(-1)?.[1] ?? 0) };
}
