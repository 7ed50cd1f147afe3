import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { until } from "../api/api-harness.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";

export const TALK_USER = "viewer";
export const TALK_PASSWORD = 'pass:w"ord';

/** What a camera's loudspeaker takes; "mute" has none. */
export type TalkMount = "pcmu" | "pcma" | "aac" | "mute";
/** How the server wants to be asked; "udpOnly" answers 461 to TCP. */
export type TalkAccess = "none" | "digest" | "udpOnly";

/** The file of what was heard. */
const HEARD = "heard.jsonl";

interface Note {
  readonly ms: number;
  readonly session: number;
  readonly what: "begins" | "hears" | "ends";
  readonly camera?: TalkMount;
  /** Nanoseconds. */
  readonly pts?: number;
  readonly data?: string;
}

/** What one session heard. */
export interface HeardSession {
  readonly camera: TalkMount | undefined;
  /** One after the other. */
  readonly sound: Buffer;
  readonly pieces: readonly { readonly ms: number; readonly ptsMs: number; readonly bytes: number }[];
  readonly hasEnded: boolean;
}

/** GStreamer's ONVIF media factory as cameras with a loudspeaker, which write down what they hear. */
export class GstTalkCamera {
  readonly #process: ChildProcess;
  #ports: Readonly<Record<string, number>> = {};
  readonly #directory: TemporaryDirectory;
  readonly #address: string;

  private constructor(process: ChildProcess, directory: TemporaryDirectory, address: string) {
    this.#process = process;
    this.#directory = directory;
    this.#address = address;
  }

  static async start(address = "127.0.0.1"): Promise<GstTalkCamera> {
    const directory = new TemporaryDirectory("talk-camera");
    const script = new URL("gst_talk_camera.py", import.meta.url).pathname;
    const child = spawn("/usr/bin/python3", [script, directory.join(HEARD), address], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const camera = new GstTalkCamera(child, directory, address);
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    await until("the camera with a loudspeaker", () => text.includes("\n"));
    camera.#ports = JSON.parse(text);
    return camera;
  }

  url(mount: TalkMount, access: TalkAccess = "none"): string {
    return `rtsp://${this.#address}:${this.port(access)}/${mount}`;
  }

  port(access: TalkAccess): number {
    return this.#ports[access] ?? 0;
  }

  /** The sessions that heard something, in the order in which they began. */
  heard(): HeardSession[] {
    const lines = readFileSync(this.#directory.join(HEARD), "utf8").split("\n").slice(0, -1);
    const notes = lines.map((line): Note => JSON.parse(line));
    const sessions = [...new Set(notes.map(({ session }) => session))];
    return sessions.flatMap((session) => {
      const own = notes.filter((note) => note.session === session);
      const pieces = own.flatMap(({ what, ms, pts = 0, data = "" }) =>
        what === "hears" ? [{ ms, ptsMs: pts / 1e6, data: Buffer.from(data, "base64") }] : [],
      );
      if (pieces.length === 0) return [];
      return {
        camera: own.find(({ what }) => what === "begins")?.camera,
        sound: Buffer.concat(pieces.map(({ data }) => data)),
        pieces: pieces.map(({ ms, ptsMs, data }) => ({ ms, ptsMs, bytes: data.length })),
        hasEnded: own.some(({ what }) => what === "ends"),
      };
    });
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
