import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import type { CameraClip } from "../../support/camera/camera-clips.js";
import { FaultyLink } from "../../support/camera/faulty-link.js";
import { type VideoPart, videoParts } from "../../support/http/multipart-reader.js";
import { jpegSize } from "../../support/media/jpeg.js";
import { psnr } from "../../support/media/shown-clip.js";
import { hear } from "../../support/media/tone.js";
import { GstRtspServer } from "../../support/rtsp/gst-rtsp-server.js";
import { apiTime, md5, ROOT_PASSWORD, Service } from "../../support/service/service.js";

const SIZES = ["320x240", "480x360"];
const X264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -x264-params repeat-headers=1:bframes=0";
const CLIPS: Readonly<Record<string, CameraClip>> = {
  h264: { codec: "h264", args: X264, sizes: SIZES },
  h265: {
    codec: "h265",
    args: "-c:v libx265 -preset ultrafast -pix_fmt yuv420p -x265-params log-level=error:bframes=0:repeat-headers=1",
    sizes: SIZES,
  },
};
const HIGH = "resolutionx=1280&resolutiony=720&fps=25";
const VIEWERS = 100;
/** Of a picture with sharp colours, of which 4:2:0 costs much; one with a hole has less than 15. */
const KEY_LIKENESS_MIN_DB = 22;

let directory: TemporaryDirectory;
let cameras: GstRtspServer;
let link: FaultyLink;
let service: Service;
let ids: Record<"h264" | "h265" | "off", string>;

beforeAll(async () => {
  directory = new TemporaryDirectory("picture-faults");
  cameras = await GstRtspServer.start({ videos: [], clips: CLIPS });
  link = await FaultyLink.start(Number(new URL(cameras.url("h264")).port));
  service = await Service.start({ dataDir: directory.join("data") });
  const [h264 = "", h265 = "", off = ""] = await service.addCameras([
    { name: "Gate", url: `rtsp://127.0.0.1:${link.port}/h264-aac`, sound: true },
    { name: "Yard", url: `rtsp://127.0.0.1:${link.port}/h265`, format: "Hevc" },
    { name: "Store", url: cameras.url("h264") },
  ]);
  ids = { h264, h265, off };
  await service.recorded([h264, h265, off], 3_500_000);
});

afterAll(async () => {
  await service?.stop();
  await link?.stop();
  await cameras?.stop();
  directory?.remove();
});

/** Parts of /mobile until `enough` holds. */
async function watch(query: string, enough: (parts: readonly VideoPart[]) => boolean): Promise<VideoPart[]> {
  const response = await service.open(`/mobile?${query}`);
  expect(response.statusCode).toBe(200);
  const parts: VideoPart[] = [];
  for await (const part of videoParts(response)) {
    parts.push(part);
    if (enough(parts)) break;
  }
  response.destroy();
  return parts;
}

const isPicture = ({ contentType }: VideoPart): boolean => contentType === "image/jpeg";
const sizesOf = (parts: readonly VideoPart[]): Set<string> =>
  new Set(parts.filter(isPicture).map(({ body }) => `${jpegSize(body).width}x${jpegSize(body).height}`));
const hasBothSizes = (parts: readonly VideoPart[]): boolean => sizesOf(parts).size === SIZES.length;
const pcmOf = (parts: readonly VideoPart[]): Buffer =>
  Buffer.concat(parts.filter((part) => !isPicture(part)).map(({ body }) => body));

async function beginning(id: string): Promise<string> {
  const [fragment] = await service.fragments(id);
  return `mode=archive&starttime=${apiTime((fragment?.fromUs ?? 0) + 200_000)}`;
}

describe("a camera that changes its resolution", () => {
  it.each(["h264", "h265"] as const)("is shown in both sizes, live and recorded: %s", async (camera) => {
    const id = ids[camera];
    const live = await watch(`channelid=${id}&${HIGH}`, hasBothSizes);
    expect(sizesOf(live)).toEqual(new Set(SIZES));
    const recorded = await watch(`channelid=${id}&${HIGH}&${await beginning(id)}&speed=4`, hasBothSizes);
    expect(sizesOf(recorded)).toEqual(new Set(SIZES));
    // One fragment: frames went on.
    expect(await service.fragments(id)).toHaveLength(1);
  });

  it("is H.264 of both sizes at a level with UsePFrames", async () => {
    const level = { Type: "Middle", Width: 480, Height: 360, UsePFrames: true };
    await service.json("/configure/mobile", { method: "PUT", body: { Resolutions: [level] } });
    const sets = new Set<string>();
    await watch(`channelid=${ids.h265}&resolutionx=480&resolutiony=360`, (parts) => {
      const last = parts.at(-1);
      // A new size begins with new parameter sets, at a key frame.
      if (last?.contentType === "video, h264, I-frame") sets.add(sequenceSet(last.body));
      return sets.size === SIZES.length;
    });
  });
});

/** The sequence parameter set of an access unit, as text. */
function sequenceSet(unit: Buffer): string {
  const at = unit.indexOf(Buffer.of(0, 0, 1, 0x67));
  return unit.toString("hex", at, unit.indexOf(Buffer.of(0, 0, 1), at + 3));
}

describe("AAC of a recording", () => {
  it("is the tone at its level, beside the pictures", async () => {
    const query = `channelid=${ids.h264}&sound=on&soundformat=pcm&${await beginning(ids.h264)}`;
    const parts = await watch(query, (all) => pcmOf(all).length >= 24_000);
    const heard = hear(pcmOf(parts).subarray(4000), 8000);
    expect(heard.frequency).toBe(440);
    expect(heard.purity).toBeGreaterThan(0.9);
    // ffmpeg's sine has a peak of an eighth of the full scale.
    expect(20 * Math.log10(heard.level / 0.125)).toBeLessThan(1);
    expect(20 * Math.log10(heard.level / 0.125)).toBeGreaterThan(-1);
    expect(behindMs(parts)).toBeLessThan((await recordedBehindMs(parts.length)) + 300);
  });

  /** The same of the frames as they are recorded: a busy machine's source sends its sound late. */
  async function recordedBehindMs(count: number): Promise<number> {
    const { parts, close } = await service.video(
      `channelid=${ids.h264}&sound=on&${await beginning(ids.h264)}&speed=4`,
    );
    const recorded: VideoPart[] = [];
    for await (const part of parts) {
      recorded.push(part);
      if (recorded.length === count) break;
    }
    close();
    return behindMs(recorded);
  }
});

/** How far a part is behind one before it, by their times. */
function behindMs(parts: readonly VideoPart[]): number {
  const times = parts.map(({ timestampMs }) => timestampMs);
  return Math.max(...times.map((time, at) => Math.max(...times.slice(0, at + 1)) - time));
}

describe("many viewers", () => {
  it("each get pictures of one transcode, and stills of one decoding", async () => {
    const one = async (at: number): Promise<number> => {
      // Spellings of one level: no two programs write alike.
      const fps = ["fps=25", "FPS=25.0", "fps=25,0", "&&fps=+25"][at % 4];
      const parts = await watch(`channelid=${ids.h264}&resolutionX=1280&RESOLUTIONY=720&${fps}`, (all) => {
        return all.length === 3;
      });
      return parts.length;
    };
    const stills = Array.from({ length: VIEWERS }, (_, at) =>
      service.get(`/site?channelid=${ids.h265}&resolutionx=${64 + (at % 3)}`).then(({ status }) => status),
    );
    const viewers = Array.from({ length: VIEWERS }, (_, at) => one(at));
    expect(new Set(await Promise.all(viewers))).toEqual(new Set([3]));
    expect(new Set(await Promise.all(stills))).toEqual(new Set([200]));
  });
});

describe("a camera that is cut off", () => {
  it("goes on in the same answer of /mobile, and is shown by /site again", async () => {
    const before = link.connections;
    let cutAtMs = 0;
    const parts = await watch(`channelid=${ids.h264}&${HIGH}`, (all) => {
      if (all.length === 5) {
        cutAtMs = all.at(-1)?.timestampMs ?? 0;
        link.cut();
      }
      return all.length > 5 && (all.at(-1)?.timestampMs ?? 0) > cutAtMs + 2000;
    });
    expect(link.connections).toBeGreaterThan(before);
    const times = parts.map(({ timestampMs }) => timestampMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect((await service.get(`/site?channelid=${ids.h264}`)).status).toBe(200);
  });

  it("is shown by /site in whole key frames while its packets get lost", async () => {
    const [first, second] = await Promise.all(
      SIZES.map(async (size) => {
        const [width, height] = size.split("x").map(Number);
        const pictures = await cameras.pictures("h264");
        return pictures.find((picture) => picture.width === width && picture.height === height);
      }),
    );
    link.fault = (_payload, index) => (index % 23 === 0 ? "lose" : "pass");
    const { body } = await service.get(`/site?channelid=${ids.h264}&resolutionx=480`);
    link.fault = undefined;
    const { data, info } = await sharp(body).raw().toBuffer({ resolveWithObject: true });
    const sent = info.width === 320 ? first : second;
    expect(psnr(data, sent?.data ?? Buffer.alloc(0))).toBeGreaterThan(KEY_LIKENESS_MIN_DB);
  });
});

describe("a camera that is switched off", () => {
  it("has no live picture and says so, and shows what was recorded", async () => {
    const then = await beginning(ids.off);
    const camera = await service.json<object>(`/configure/channels/${ids.off}`);
    await service.json(`/configure/channels/${ids.off}`, {
      method: "PUT",
      body: { ...camera, Disabled: true },
    });
    const login = `login=root&password=${md5(ROOT_PASSWORD).toUpperCase()}`;
    for (const path of [`/site?channelid=${ids.off}`, `/mobile?${login}&channelid=${ids.off}`]) {
      const { status, body } = await service.get(path);
      expect([status, body.toString()]).toEqual([404, expect.stringContaining("switched off")]);
    }
    const still = await service.get(`/site?channelid=${ids.off}&${then}`);
    expect([still.status, still.headers["content-type"]]).toEqual([200, "image/jpeg"]);
    const one = await service.get(
      `/mobile?channelid=${ids.off}&${then}&oneframeonly=true&withcontenttype=true`,
    );
    expect([one.status, one.body.subarray(0, 4).toString("hex")]).toEqual([200, "ffd8ffe0"]);
  });
});
