import { readFile } from "node:fs/promises";
import { type Clock, type Log, newGuid } from "../base/index.js";
import { Codec, LiveStream } from "../live/index.js";
import { LiveMount, type MountSource, RtspServer, type ServerCredentials } from "../rtsp/server/index.js";
import { type Clip, type ClipSettings, parseClip } from "./clip.js";
import { ambientLane, ClipPlayer, clipLane, type Lane } from "./clip-player.js";

/** The same place from `dist/demo` and from `src/demo`. */
const CLIPS = new URL("../../src/demo/clips/", import.meta.url);

export const H264_CLIP: ClipSettings = {
  name: "street.h264",
  codec: Codec.H264,
  framesPerSecond: 10,
  width: 640,
  height: 480,
};
export const H265_CLIP: ClipSettings = {
  name: "street.h265",
  codec: Codec.H265,
  framesPerSecond: 10,
  width: 640,
  height: 480,
};
export const MJPEG_CLIP: ClipSettings = {
  name: "street.mjpeg",
  codec: Codec.MJPEG,
  framesPerSecond: 5,
  width: 320,
  height: 240,
};

export interface DemoCamera {
  readonly name: string;
  /** `rtsp://…`, without credentials. */
  readonly url: string;
  /** What it sends, in words. */
  readonly description: string;
  readonly format: "H264" | "Hevc" | "MJPEG";
}

export interface DemoCamerasOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Address to listen on, as a URL can name it, e.g. 127.0.0.1. */
  readonly listen: string;
  /** 0 lets the kernel choose. */
  readonly port: number;
  readonly credentials?: ServerCredentials;
}

interface CameraPlan {
  readonly name: string;
  readonly path: string;
  readonly description: string;
  readonly format: DemoCamera["format"];
  readonly lanes: readonly Lane[];
}

/** Four cameras that show the bundled clips, behind one RTSP server. */
export class DemoCameras {
  readonly #options: DemoCamerasOptions;
  readonly #players: ClipPlayer[] = [];
  #server: RtspServer | undefined;

  constructor(options: DemoCamerasOptions) {
    this.#options = options;
  }

  /** Reads the clips and listens. Rejects when a clip is missing or unusable, or the port cannot be had. */
  async start(): Promise<DemoCamera[]> {
    const { clock, log, listen, port, credentials } = this.#options;
    const plans = await planCameras();
    const mounts = new Map<string, MountSource>();
    for (const { name, path, lanes } of plans) {
      const stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
      const player = new ClipPlayer({ stream, lanes, clock });
      const formats = lanes.map((lane) => lane.format);
      mounts.set(path, new LiveMount({ title: name, stream, fromGop: false, formats }));
      this.#players.push(player);
    }
    const server = new RtspServer({ listen, port, mounts, clock, log, ...(credentials && { credentials }) });
    const { port: listening } = await server.start();
    this.#server = server;
    for (const player of this.#players) player.start();
    const host = listen.includes(":") ? `[${listen}]` : listen;
    return plans.map(({ name, path, description, format }) => ({
      name,
      url: `rtsp://${host}:${listening}${path}`,
      description,
      format,
    }));
  }

  async stop(): Promise<void> {
    for (const player of this.#players.splice(0)) player.stop();
    await this.#server?.stop();
    this.#server = undefined;
  }
}

/** Reads one of the bundled clips. */
export async function readClip(settings: ClipSettings): Promise<Clip> {
  return parseClip(settings, await readFile(new URL(settings.name, CLIPS)));
}

async function planCameras(): Promise<CameraPlan[]> {
  const [h264, h265, mjpeg] = await Promise.all([H264_CLIP, H265_CLIP, MJPEG_CLIP].map(readClip));
  if (h264 === undefined || h265 === undefined || mjpeg === undefined) return [];
  return [
    {
      name: "Street H.264",
      path: "/street-h264",
      description: "H.264, 640x480, 10 frames a second, a key frame each 2 s",
      format: "H264",
      lanes: [clipLane(h264)],
    },
    {
      name: "Street H.265",
      path: "/street-h265",
      description: "H.265, 640x480, 10 frames a second, a key frame each 2 s",
      format: "Hevc",
      lanes: [clipLane(h265)],
    },
    {
      name: "Street with sound",
      path: "/street-sound",
      description: "H.264, 640x480, 10 frames a second, with G.711 µ-law sound",
      format: "H264",
      lanes: [clipLane(h264), ambientLane()],
    },
    {
      name: "Street MJPEG",
      path: "/street-mjpeg",
      description: "MJPEG, 320x240, 5 pictures a second",
      format: "MJPEG",
      lanes: [clipLane(mjpeg)],
    },
  ];
}
