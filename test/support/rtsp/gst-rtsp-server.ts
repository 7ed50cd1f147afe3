import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keptFolder } from "../base/kept-folder.js";
import {
  type CameraClip,
  type ClipEntry,
  clipPictures,
  encodeClip,
  ffmpeg,
  GST_CLIPS,
  GST_VIDEOS,
  type GstVideo,
  type ShownPicture,
} from "../camera/camera-clips.js";
import { toneL16, toneOpus } from "../media/tone.js";
import { exitText } from "../service/background-process.js";

export type { GstVideo } from "../camera/camera-clips.js";

export const GST_USER = "viewer";
export const GST_PASSWORD = 'pass:w"ord';

export type GstAudio = "mulaw" | "aac" | "latm" | "l16" | "opus" | "g726" | "aal2";
/** How the server wants to be asked; "udpOnly" answers 461 to TCP. */
export type GstAccess = "none" | "basic" | "digest" | "udpOnly";

export interface GstServerOptions {
  /** The clips to encode; all when absent. */
  readonly videos?: readonly GstVideo[];
  /** Further clips by the names of their mount points. */
  readonly clips?: Readonly<Record<string, CameraClip>>;
  /** Seconds of each clip, which the server repeats; 3 when absent. */
  readonly seconds?: number;
}

/** Short clips cost mostly the start of processes. */
const ENCODED_AT_ONCE = 4;
const NANOSECONDS_PER_SECOND = 1_000_000_000;
const AAC_SAMPLES_A_UNIT = 1024;
const AAC_SAMPLE_RATE = 16_000;

/**
 * GStreamer's RTSP server as a child process, with clips that ffmpeg encodes when it starts. Mount points: `/h264`,
 * `/h264-mulaw`, `/h264-aac` and so on.
 */
export class GstRtspServer {
  readonly #directory: string;
  readonly #process: ChildProcess;
  readonly #ports: Readonly<Record<string, number>>;

  private constructor(directory: string, process: ChildProcess, ports: Readonly<Record<string, number>>) {
    this.#directory = directory;
    this.#process = process;
    this.#ports = ports;
  }

  /** Encodes the clips and starts the server; a second or two. */
  static async start(options: GstServerOptions = {}): Promise<GstRtspServer> {
    const directory = await mkdtemp(join(tmpdir(), "nvrd-gst-"));
    const seconds = options.seconds ?? 3;
    const entries: Record<string, ClipEntry> = {};
    for (const name of options.videos ?? GST_VIDEOS) {
      entries[name] = await encodeClip(directory, name, { ...GST_CLIPS[name], seconds });
    }
    const clips = Object.entries(options.clips ?? {});
    for (let at = 0; at < clips.length; at += ENCODED_AT_ONCE) {
      const some = clips.slice(at, at + ENCODED_AT_ONCE);
      await Promise.all(
        some.map(async ([name, clip]) => {
          entries[name] = await encodeClip(directory, name, clip);
        }),
      );
    }
    entries.mulaw = await encodeMulaw(directory, seconds);
    entries.aac = await encodeAac(directory, seconds);
    entries.latm = entries.aac;
    entries.l16 = await writePackets(
      directory,
      "l16",
      toneL16({ ...LOUD, seconds, rate: 16_000, channels: 2 }).units,
    );
    entries.opus = await writePackets(directory, "opus", (await toneOpus({ ...LOUD, seconds })).units);
    entries.g726 = await encodeG726(directory, seconds);
    entries.aal2 = entries.g726;
    await writeFile(join(directory, "clips.json"), JSON.stringify(entries));
    const script = new URL("gst_rtsp_server.py", import.meta.url).pathname;
    const child = spawn("/usr/bin/python3", [script, directory], { stdio: ["pipe", "pipe", "inherit"] });
    const line = await firstLine(child);
    return new GstRtspServer(directory, child, JSON.parse(line));
  }

  /** Address of a mount point, without credentials. */
  url(path: string, access: GstAccess = "none"): string {
    return `rtsp://127.0.0.1:${this.#ports[access]}/${path}`;
  }

  /** The elementary stream that a clip's mount points replay, as ffmpeg wrote it (AAC: ADTS). */
  async clip(name: GstVideo | GstAudio): Promise<Buffer> {
    const entries: Record<string, ClipEntry> = JSON.parse(
      await readFile(join(this.#directory, "clips.json"), "utf8"),
    );
    return await readFile(join(this.#directory, entries[name]?.file ?? name));
  }

  /** What ffmpeg decodes of a clip, as it is shown. */
  async pictures(name: string): Promise<ShownPicture[]> {
    return await clipPictures(this.#directory, name);
  }

  /** Stops the server process with SIGSTOP, as a camera that hangs, or lets it go on. */
  hang(on: boolean): void {
    this.#process.kill(on ? "SIGSTOP" : "SIGCONT");
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await exited;
    }
    await rm(this.#directory, { recursive: true, force: true });
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = "";
  return await new Promise((resolve, reject) => {
    child.once("exit", (code, signal) =>
      reject(new Error(`gst_rtsp_server.py ended before it listened: ${exitText({ code, signal })}`)),
    );
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
  });
}

const LOUD = { frequency: 440, level: 0.5 };
/** What a packet's length takes before it in the file. */
export const PACKET_LENGTH_BYTES = 2;

/** Packets of 20 ms, each behind its length. */
async function writePackets(
  directory: string,
  codec: string,
  packets: readonly Buffer[],
): Promise<ClipEntry> {
  const file = `${codec}.packets`;
  const pieces = packets.flatMap((packet) => [
    Buffer.from([packet.length >> 8, packet.length & 0xff]),
    packet,
  ]);
  await writeFile(join(directory, file), Buffer.concat(pieces));
  const unitNs = NANOSECONDS_PER_SECOND / 50;
  const units = packets.map(
    ({ length }, index) => [length + PACKET_LENGTH_BYTES, PACKET_LENGTH_BYTES, index * unitNs] as const,
  );
  return { codec, file, units, roundNs: packets.length * unitNs };
}

/** 32 kbit/s, the first code of a byte in its low bits: 80 bytes are 20 ms. */
async function encodeG726(directory: string, seconds: number): Promise<ClipEntry> {
  const path = join(directory, "g726.raw");
  await encodeTone(path, seconds, ["-c:a", "g726le", "-b:a", "32k", "-f", "g726le"]);
  const data = await readFile(path);
  const packets = Array.from({ length: Math.floor(data.length / 80) }, (_, at) =>
    data.subarray(80 * at, 80 * at + 80),
  );
  return await writePackets(directory, "g726", packets);
}

const TONE = "sine=frequency=440:sample_rate=8000";
const SOUND_MAKERS = [fileURLToPath(import.meta.url), "/usr/bin/ffmpeg"];

async function encodeMulaw(directory: string, seconds: number): Promise<ClipEntry> {
  const file = "mulaw.ul";
  await encodeTone(join(directory, file), seconds, ["-c:a", "pcm_mulaw", "-f", "mulaw"]);
  const unitNs = NANOSECONDS_PER_SECOND / 50;
  const units = Array.from({ length: seconds * 50 }, (_, index) => [160, 0, index * unitNs] as const);
  return { codec: "mulaw", file, units, roundNs: seconds * NANOSECONDS_PER_SECOND };
}

async function encodeAac(directory: string, seconds: number): Promise<ClipEntry> {
  const file = "aac.adts";
  const path = join(directory, file);
  await encodeTone(path, seconds, ["-ar", String(AAC_SAMPLE_RATE), "-c:a", "aac", "-f", "adts"]);
  const data = await readFile(path);
  const unitNs = (AAC_SAMPLES_A_UNIT * NANOSECONDS_PER_SECOND) / AAC_SAMPLE_RATE;
  const units: (readonly [number, number, number])[] = [];
  // ADTS: a header of 7 bytes, the whole length in 13 bits from byte 3 on (ISO/IEC 13818-7, 6.2).
  for (let at = 0; at + 7 <= data.length; ) {
    const size =
      ((data.readUInt8(at + 3) & 3) << 11) | (data.readUInt8(at + 4) << 3) | (data.readUInt8(at + 5) >> 5);
    units.push([size, 7, units.length * unitNs]);
    at += size;
  }
  return { codec: "aac", file, units, roundNs: units.length * unitNs };
}

async function encodeTone(file: string, seconds: number, encoder: readonly string[]): Promise<void> {
  const kept = await keptFolder({ tone: TONE, seconds, encoder }, SOUND_MAKERS, (folder) =>
    ffmpeg(["-f", "lavfi", "-i", `${TONE}:duration=${seconds}`, ...encoder, join(folder, "tone")]),
  );
  await copyFile(join(kept, "tone"), file);
}
