import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Clock, errorText, type Log, newGuid, US_PER_SECOND } from "../base/index.js";
import { Codec, LiveStream } from "../live/index.js";
import { type AnnouncedDevice, answeringAddresses, DiscoveryResponder } from "../onvif/index.js";
import { LiveMount, type MountSource, RtspServer, type ServerCredentials } from "../rtsp/server/index.js";
import { type Clip, type ClipSettings, parseClip } from "./clip.js";
import { ambientLane, ClipPlayer, clipLane, type Lane } from "./clip-player.js";
import type { OnvifProfile } from "./onvif-answers.js";
import { SERVICE_PATHS } from "./onvif-answers.js";
import { OnvifDevice } from "./onvif-device.js";

/** The same directory from `dist/demo` and from `src/demo`. */
const CLIPS = new URL("../../src/demo/clips/", import.meta.url);

export const H264_CLIP: ClipSettings = {
  name: "street.h264",
  codec: Codec.H264,
  framesPerSecond: 10,
  width: 640,
  height: 480,
};
export const H265_CLIP: ClipSettings = {
  name: "road.h265",
  codec: Codec.H265,
  framesPerSecond: 10,
  width: 640,
  height: 480,
};
/** Of the camera with sound. */
export const SOUND_CLIP: ClipSettings = { ...H264_CLIP, name: "path.h264" };
/** What the camera of `H264_CLIP` shows at the same time. */
export const SMALL_CLIP: ClipSettings = {
  name: "street.mjpeg",
  codec: Codec.MJPEG,
  framesPerSecond: 5,
  width: 320,
  height: 240,
};
export const MJPEG_CLIP: ClipSettings = { ...SMALL_CLIP, name: "lawn.mjpeg" };
/** Snapshots of the cameras without a stream of JPEGs. */
export const H265_STILLS: ClipSettings = { ...SMALL_CLIP, name: "road-stills.mjpeg", framesPerSecond: 0.5 };
export const SOUND_STILLS: ClipSettings = { ...H265_STILLS, name: "path-stills.mjpeg" };

export interface DemoCamera {
  readonly name: string;
  /** Of its main stream: `rtsp://…`, without credentials. */
  readonly url: string;
  /** Description of its streams. */
  readonly description: string;
  readonly format: "H264" | "Hevc" | "MJPEG";
  /** Endpoint reference of its ONVIF device, `urn:uuid:…`. */
  readonly identity: string;
  /** Of its ONVIF device: `host:port`. */
  readonly address: string;
}

interface DemoCamerasOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Address to listen on, e.g. 127.0.0.1. */
  readonly listen: string;
  /** Of the RTSP server; 0 lets the kernel choose. */
  readonly port: number;
  readonly credentials?: ServerCredentials;
}

interface StreamPlan {
  readonly path: string;
  readonly format: DemoCamera["format"];
  readonly clip: Clip;
  readonly hasSound: boolean;
}

interface CameraPlan {
  readonly name: string;
  readonly model: string;
  readonly description: string;
  /** The largest first. */
  readonly streams: readonly [StreamPlan, ...StreamPlan[]];
  /** JPEGs of what its streams show. */
  readonly stills: Clip;
}

interface DeviceStart {
  readonly owner: string;
  readonly rtspOrigin: string;
  /** When the players started, of the monotonic clock. */
  readonly startUs: number;
}

const MANUFACTURER = "nvrd";
const ENCODINGS = { H264: "H264", Hevc: "H265", MJPEG: "JPEG" } as const;

/** Four cameras that play the bundled clips: ONVIF devices with a port each, and one RTSP server for their streams. */
export class DemoCameras {
  readonly #options: DemoCamerasOptions;
  readonly #players: ClipPlayer[] = [];
  readonly #devices: OnvifDevice[] = [];
  #server: RtspServer | undefined;
  #responder: DiscoveryResponder | undefined;

  constructor(options: DemoCamerasOptions) {
    this.#options = options;
  }

  /**
   * Reads the clips and listens. With the same `owner`, the cameras have the same identities again, at other ports.
   * Rejects if a clip is missing or unusable, or a port is not available. Without multicast, discovery does not find
   * them, which is logged.
   */
  async start(owner: string): Promise<DemoCamera[]> {
    const { clock, log, listen, port, credentials } = this.#options;
    const plans = await planCameras();
    const mounts = new Map<string, MountSource>();
    for (const { name, streams } of plans)
      for (const plan of streams) mounts.set(plan.path, this.#mount(name, plan));
    const server = new RtspServer({ listen, port, mounts, clock, log, ...(credentials && { credentials }) });
    this.#server = server;
    const { port: rtspPort } = await server.start();
    const startUs = clock.monotonicUs();
    for (const player of this.#players) player.start();
    const rtspOrigin = `rtsp://${urlHost(listen)}:${rtspPort}`;
    const cameras: DemoCamera[] = [];
    for (const plan of plans) cameras.push(await this.#startDevice(plan, { owner, rtspOrigin, startUs }));
    await this.#answerDiscovery(cameras);
    return cameras;
  }

  async stop(): Promise<void> {
    await this.#responder?.stop();
    this.#responder = undefined;
    for (const device of this.#devices.splice(0)) await device.stop();
    for (const player of this.#players.splice(0)) player.stop();
    await this.#server?.stop();
    this.#server = undefined;
  }

  #mount(title: string, { path, clip, hasSound }: StreamPlan): MountSource {
    const lanes: Lane[] = hasSound ? [clipLane(clip), ambientLane()] : [clipLane(clip)];
    const stream = new LiveStream({
      channelId: newGuid(),
      streamType: path === ALTERNATIVE_PATH ? "Alternative" : "Main",
    });
    this.#players.push(new ClipPlayer({ stream, lanes, clock: this.#options.clock }));
    return new LiveMount({ title, stream, fromGop: false, formats: lanes.map((lane) => lane.format) });
  }

  async #startDevice(
    { name, model, description, streams, stills }: CameraPlan,
    { owner, rtspOrigin, startUs }: DeviceStart,
  ): Promise<DemoCamera> {
    const { clock, log, listen, credentials } = this.#options;
    const [main] = streams;
    const identity = identityOf(owner, name);
    const profiles = streams.map((stream, index) => profileOf(stream, index, rtspOrigin));
    const serial = identity.slice(-12);
    const device = new OnvifDevice({
      listen,
      port: 0,
      facts: { identity, manufacturer: MANUFACTURER, model, firmware: "1", serial, profiles },
      snapshot: snapshotsOf(stills, () => clock.monotonicUs() - startUs),
      ...(credentials && { credentials }),
      clock,
      log,
    });
    this.#devices.push(device);
    await device.start();
    const { host: address } = new URL(device.origin);
    return { name, url: rtspOrigin + main.path, description, format: main.format, identity, address };
  }

  async #answerDiscovery(cameras: readonly DemoCamera[]): Promise<void> {
    const { listen, clock, log } = this.#options;
    const devices = cameras.map(
      ({ name, identity, address }): AnnouncedDevice => ({
        identity,
        serviceUrl: () => `http://${address}${SERVICE_PATHS.device}`,
        scopes: [
          "onvif://www.onvif.org/Profile/Streaming",
          "onvif://www.onvif.org/type/video_encoder",
          `onvif://www.onvif.org/name/${encodeURIComponent(name)}`,
          `onvif://www.onvif.org/manufacturer/${MANUFACTURER}`,
        ],
      }),
    );
    const responder = new DiscoveryResponder({
      addresses: () => answeringAddresses(listen),
      devices: () => devices,
      random: Math.random,
      clock,
      log,
    });
    this.#responder = responder;
    await responder.start().catch((error: unknown) => {
      log.warn({ error: errorText(error) }, "the demo's cameras cannot answer discovery: no multicast here");
    });
  }
}

/** Reads one of the bundled clips. */
export async function readClip(settings: ClipSettings): Promise<Clip> {
  return parseClip(settings, await readFile(new URL(settings.name, CLIPS)));
}

/** The camera's current picture. */
function snapshotsOf({ units, framesPerSecond }: Clip, elapsedUs: () => number): () => Uint8Array {
  return () => {
    const index = Math.floor((elapsedUs() / US_PER_SECOND) * framesPerSecond) % units.length;
    return units[index]?.bytes ?? new Uint8Array();
  };
}

/** A UUID of version 8 (RFC 9562, 5.8), always the same for the same names. */
function identityOf(owner: string, name: string): string {
  const hex = createHash("sha256").update(`nvrd demo camera\n${owner}\n${name}`).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join("-")}`;
}

function profileOf(
  { clip, path, format, hasSound }: StreamPlan,
  index: number,
  rtspOrigin: string,
): OnvifProfile {
  const { width, height, framesPerSecond, units } = clip;
  const keys = units.filter(({ key }) => key).length;
  return {
    token: `profile${index + 1}`,
    name: index === 0 ? "Main" : "Sub",
    encoding: ENCODINGS[format],
    width,
    height,
    framesPerSecond,
    gopLength: Math.round(units.length / keys),
    hasSound,
    streamUrl: rtspOrigin + path,
  };
}

function urlHost(listen: string): string {
  return listen.includes(":") ? `[${listen}]` : listen;
}

const ALTERNATIVE_PATH = "/street-h264-small";

async function planCameras(): Promise<CameraPlan[]> {
  const [street, road, path, small, lawn, roadStills, pathStills] = await Promise.all([
    readClip(H264_CLIP),
    readClip(H265_CLIP),
    readClip(SOUND_CLIP),
    readClip(SMALL_CLIP),
    readClip(MJPEG_CLIP),
    readClip(H265_STILLS),
    readClip(SOUND_STILLS),
  ]);
  return [
    {
      name: "Street H.264",
      model: "Demo H.264",
      description:
        "H.264, 640x480, 10 frames a second, a key frame each 2 s; a second stream in MJPEG, 320x240",
      streams: [
        { path: "/street-h264", format: "H264", clip: street, hasSound: false },
        { path: ALTERNATIVE_PATH, format: "MJPEG", clip: small, hasSound: false },
      ],
      stills: small,
    },
    {
      name: "Street H.265",
      model: "Demo H.265",
      description: "H.265, 640x480, 10 frames a second, a key frame each 2 s",
      streams: [{ path: "/street-h265", format: "Hevc", clip: road, hasSound: false }],
      stills: roadStills,
    },
    {
      name: "Street with sound",
      model: "Demo H.264 with sound",
      description: "H.264, 640x480, 10 frames a second, with G.711 µ-law sound",
      streams: [{ path: "/street-sound", format: "H264", clip: path, hasSound: true }],
      stills: pathStills,
    },
    {
      name: "Street MJPEG",
      model: "Demo MJPEG",
      description: "MJPEG, 320x240, 5 pictures a second",
      streams: [{ path: "/street-mjpeg", format: "MJPEG", clip: lawn, hasSound: false }],
      stills: lawn,
    },
  ];
}
