import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { g711ToPcm } from "../../../src/live/codec/g711.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import type { VideoPart } from "../../support/http/multipart-reader.js";
import {
  differenceFromLoop,
  splitH264,
  splitH265,
  splitMjpeg,
  splitMpeg4,
  type UnitSplitter,
} from "../../support/media/elementary-units.js";
import { decode } from "../../support/media/ffmpeg.js";
import { hear } from "../../support/media/tone.js";
import {
  GST_PASSWORD,
  GST_USER,
  type GstAccess,
  GstRtspServer,
  type GstVideo,
} from "../../support/rtsp/gst-rtsp-server.js";
import { apiTime, type CameraToAdd, Service, type VideoAnswer } from "../../support/service/service.js";

interface Counterpart {
  readonly path: string;
  readonly clip: GstVideo;
  readonly access: GstAccess;
  readonly format: NonNullable<CameraToAdd["format"]>;
  readonly partType: string;
  /** ffmpeg's name of the elementary stream. */
  readonly demuxer: string;
  readonly split: UnitSplitter;
}

const H264 = { format: "H264", partType: "video, h264, ", demuxer: "h264", split: splitH264 } as const;
const H265 = { format: "Hevc", partType: "video, h265, ", demuxer: "hevc", split: splitH265 } as const;
const MPEG4 = {
  format: "MPEG4_Part2",
  partType: "video, mpeg4, ",
  demuxer: "m4v",
  split: splitMpeg4,
} as const;
const MJPEG = { format: "MJPEG", partType: "image/jpeg", demuxer: "mjpeg", split: splitMjpeg } as const;

const COUNTERPARTS: readonly Counterpart[] = [
  { path: "h264", clip: "h264", access: "none", ...H264 },
  { path: "h264b", clip: "h264b", access: "basic", ...H264 },
  { path: "h264-mulaw", clip: "h264", access: "digest", ...H264 },
  { path: "h264-aac", clip: "h264", access: "udpOnly", ...H264 },
  { path: "h265", clip: "h265", access: "digest", ...H265 },
  { path: "h265b-mulaw", clip: "h265b", access: "none", ...H265 },
  { path: "mpeg4", clip: "mpeg4", access: "basic", ...MPEG4 },
  { path: "mjpeg-mulaw", clip: "mjpeg", access: "none", ...MJPEG },
];
const WITH_MULAW = COUNTERPARTS.filter((counterpart) => counterpart.path.endsWith("-mulaw"));
const WITH_AAC = COUNTERPARTS.filter((counterpart) => counterpart.path.endsWith("-aac"));
const FRAMES = 90;
const SOUND_PARTS = 100;

let directory: TemporaryDirectory;
let server: GstRtspServer;
let service: Service;
const channelIds = new Map<Counterpart, string>();

beforeAll(async () => {
  directory = new TemporaryDirectory("counterparts");
  server = await GstRtspServer.start();
  service = await Service.start({ dataDir: directory.join("data") });
  const ids = await service.addCameras(COUNTERPARTS.map(cameraOf));
  for (const [at, counterpart] of COUNTERPARTS.entries()) channelIds.set(counterpart, ids[at] ?? "");
  await service.recorded(ids, 5_000_000);
});

afterAll(async () => {
  await service?.stop();
  await server?.stop();
  directory?.remove();
});

function cameraOf(counterpart: Counterpart): CameraToAdd {
  const { path, access, format } = counterpart;
  const login = access === "basic" || access === "digest" ? { login: GST_USER, password: GST_PASSWORD } : {};
  return {
    name: `${path} ${access}`,
    url: server.url(path, access),
    format,
    sound: path.includes("-"),
    ...login,
  };
}

async function openLive(counterpart: Counterpart, more = ""): Promise<VideoAnswer> {
  return await service.video(`channelid=${channelIds.get(counterpart)}${more}`);
}

async function openArchive(counterpart: Counterpart, more = ""): Promise<VideoAnswer> {
  const id = channelIds.get(counterpart) ?? "";
  const [fragment] = await service.fragments(id);
  return await service.video(
    `channelid=${id}&mode=archive&starttime=${apiTime(fragment?.fromUs ?? 0)}&speed=20${more}`,
  );
}

/** The first `count` parts whose type begins with `type`; parts of the types in `besides` are passed over. */
async function take(video: VideoAnswer, type: string, count: number, besides?: string): Promise<VideoPart[]> {
  const taken: VideoPart[] = [];
  try {
    for await (const part of video.parts) {
      if (part.contentType.startsWith(type)) taken.push(part);
      else if (besides === undefined || !part.contentType.startsWith(besides))
        throw new Error(`unexpected ${part.contentType}`);
      if (taken.length === count) break;
    }
  } finally {
    video.close();
  }
  return taken;
}

describe.concurrent.each([
  ["live", openLive],
  ["archive", openArchive],
] as const)("%s /video of GStreamer's RTSP server", (_, open) => {
  it.each(COUNTERPARTS)("gives back $path ($access) as it was sent, and it decodes", async (counterpart) => {
    const parts = await take(await open(counterpart), counterpart.partType, FRAMES);
    expect(parts[0]?.contentType).toBe(
      `${counterpart.partType}${counterpart.format === "MJPEG" ? "" : "I-frame"}`,
    );
    const stream = Buffer.concat(parts.map((part) => part.body));
    const clip = counterpart.split(await server.clip(counterpart.clip));
    expect(differenceFromLoop(counterpart.split(stream), clip)).toBeUndefined();
    expect((await decode(stream, counterpart.demuxer)).errors).toBe("");
  });

  it.each(WITH_MULAW)("gives the sound of $path as it was sent", async (counterpart) => {
    const parts = await take(
      await open(counterpart, "&sound=on"),
      "audio, PCMU",
      SOUND_PARTS,
      counterpart.partType,
    );
    const heard = Buffer.concat(parts.map((part) => part.body));
    const clip = await server.clip("mulaw");
    expect(Buffer.concat([clip, clip, clip]).includes(heard)).toBe(true);
  });

  it.each(WITH_AAC)("gives the tone of $path as µ-law", async (counterpart) => {
    const parts = await take(
      await open(counterpart, "&sound=on"),
      "audio, PCMU",
      SOUND_PARTS,
      counterpart.partType,
    );
    const sound = Buffer.concat(parts.map((part) => part.body));
    const heard = halfSeconds(sound.subarray(1000)).map((half) => hear(g711ToPcm([half], "mu"), 8000));
    expect(heard.length).toBeGreaterThan(4);
    expect(heard.filter(({ frequency }) => frequency !== 440)).toEqual([]);
    // The source plays its clip in a loop: the half seconds that hold its seam are less pure.
    const pure = heard.filter(({ purity }) => purity > 0.95);
    expect(pure.length).toBeGreaterThanOrEqual((heard.length * 2) / 3);
    // How long the sound takes by its times depends on when a busy machine's source sent it; their order does not.
    const timesMs = parts.map((part) => part.timestampMs);
    expect(timesMs).toEqual(timesMs.toSorted((one, other) => one - other));
  });

  it.each(WITH_MULAW)("leaves the sound of $path out unless it is asked for", async (counterpart) => {
    await expect(take(await open(counterpart), counterpart.partType, 30)).resolves.toHaveLength(30);
  });

  it.each(COUNTERPARTS)(
    "has times of $path ($access) that keep the clip's frame rate",
    async (counterpart) => {
      const parts = await take(await open(counterpart), counterpart.partType, FRAMES);
      const seconds =
        (Math.max(...parts.map((part) => part.timestampMs)) -
          Math.min(...parts.map((part) => part.timestampMs))) /
        1000;
      expect(seconds).toBeGreaterThan(((FRAMES - 1) / 25) * 0.95);
      expect(seconds).toBeLessThan(((FRAMES - 1) / 25) * 1.05);
    },
  );
});

/** Whole half seconds of G.711 at 8000 Hz. */
function halfSeconds(sound: Buffer): Buffer[] {
  const count = Math.floor(sound.length / 4000);
  return Array.from({ length: count }, (_, at) => sound.subarray(at * 4000, (at + 1) * 4000));
}
