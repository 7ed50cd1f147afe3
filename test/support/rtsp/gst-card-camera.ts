import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { until } from "../api/api-harness.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { encodeClip } from "../camera/camera-clips.js";

export const CARD_FPS = 25;
/** Longer than a test: each picture of it is made once. */
const SECONDS = 90;
const CLIP = {
  codec: "h264",
  args: "-c:v libx264 -preset ultrafast -tune zerolatency -pix_fmt yuv420p",
  sizes: ["160x120"],
  seconds: SECONDS,
} as const;

/** GStreamer's ONVIF media factory as a camera that plays live, and replays what it played from its card. */
export class GstCardCamera {
  readonly #process: ChildProcess;
  readonly #directory: TemporaryDirectory;
  /** Of RTSP. */
  readonly port: number;
  /** When its recording begins, Unix microseconds. */
  readonly startUs: number;
  /** What it plays, one access unit a picture. */
  readonly units: readonly Buffer[];

  private constructor(
    process: ChildProcess,
    directory: TemporaryDirectory,
    { port, startUs, units }: Pick<GstCardCamera, "port" | "startUs" | "units">,
  ) {
    this.#process = process;
    this.#directory = directory;
    this.port = port;
    this.startUs = startUs;
    this.units = units;
  }

  static async start(): Promise<GstCardCamera> {
    const directory = new TemporaryDirectory("card-camera");
    const entry = await encodeClip(directory.path, "clip", CLIP);
    const sizes = entry.units.map(([size]) => size);
    const script = new URL("gst_card_camera.py", import.meta.url).pathname;
    const file = directory.join(entry.file);
    const child = spawn("/usr/bin/python3", [script, file, JSON.stringify(sizes), `${CARD_FPS}`], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    await until("the camera with a card", () => text.includes("\n"));
    const bytes = readFileSync(file);
    let at = 0;
    const units = sizes.map((size) => {
      at += size;
      return bytes.subarray(at - size, at);
    });
    return new GstCardCamera(child, directory, { ...JSON.parse(text), units });
  }

  url(mount: "live" | "replay"): string {
    return `rtsp://127.0.0.1:${this.port}/${mount}`;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await exited;
    }
    this.#directory.remove();
  }
}
