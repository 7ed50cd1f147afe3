import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jpegBytesMax } from "../../../src/picture/codec/transcode-types.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { type VideoPart, videoParts } from "../../support/http/multipart-reader.js";
import { noBrowser, sharedChromium } from "../../support/media/chromium.js";
import { decode } from "../../support/media/ffmpeg.js";
import { jpegSize, scanJpegs } from "../../support/media/jpeg.js";
import { hear } from "../../support/media/tone.js";
import { GstRtspServer } from "../../support/rtsp/gst-rtsp-server.js";
import { apiTime, md5, ROOT_PASSWORD, Service } from "../../support/service/service.js";

const run = promisify(execFile);
const HIGH = "resolutionx=1280&resolutiony=720&fps=25";

let directory: TemporaryDirectory;
let cameras: GstRtspServer;
let service: Service;
/** Channels by what their cameras send. */
let ids: Record<"g711" | "aac" | "mjpeg" | "bFrames", string>;

beforeAll(async () => {
  directory = new TemporaryDirectory("mobile");
  cameras = await GstRtspServer.start({ videos: ["h264", "mjpeg", "h265b"] });
  service = await Service.start({ dataDir: directory.join("data") });
  const [g711 = "", aac = "", mjpeg = "", bFrames = ""] = await service.addCameras([
    { name: "Gate", url: cameras.url("h264-mulaw"), sound: true },
    { name: "Yard", url: cameras.url("h264-aac"), sound: true },
    { name: "Store", url: cameras.url("mjpeg"), format: "MJPEG" },
    { name: "Roof", url: cameras.url("h265b"), format: "Hevc" },
  ]);
  ids = { g711, aac, mjpeg, bFrames };
  await service.recorded([g711, bFrames], 4_000_000);
});

afterAll(async () => {
  await service?.stop();
  await cameras?.stop();
  directory?.remove();
});

/** The first parts of a stream, until `enough` holds. */
async function watch(query: string, enough: (parts: readonly VideoPart[]) => boolean): Promise<VideoPart[]> {
  const response = await service.open(`/mobile?${query}`);
  if (response.statusCode !== 200) throw new Error(`/mobile?${query}: status ${response.statusCode}`);
  const parts: VideoPart[] = [];
  for await (const part of videoParts(response)) {
    parts.push(part);
    if (enough(parts)) break;
  }
  response.destroy();
  return parts;
}

const count = (wanted: number) => (parts: readonly VideoPart[]) => parts.length >= wanted;
/** What is heard in quarter seconds of it that are a pure tone: where the camera's clip begins again they are not. */
const tonesIn = (pcm: Buffer): number[] => {
  const quarters = Array.from({ length: Math.floor(pcm.length / 4000) }, (_, index) =>
    pcm.subarray(index * 4000, index * 4000 + 4000),
  );
  return quarters
    .map((quarter) => hear(quarter, 8000))
    .filter(({ purity }) => purity > 0.9)
    .map(({ frequency }) => frequency);
};
const sound = (parts: readonly VideoPart[]): Buffer =>
  Buffer.concat(parts.filter((part) => part.contentType.startsWith("audio")).map((part) => part.body));

describe("/mobile of the whole service, live", () => {
  it.each(["g711", "mjpeg", "bFrames"] as const)(
    "shows the camera %s in JPEGs that ffmpeg decodes",
    async (camera) => {
      const parts = await watch(`channelid=${ids[camera]}&${HIGH}`, count(20));
      const pictures = parts.map((part) => part.body);
      expect(new Set(parts.map((part) => part.contentType))).toEqual(new Set(["image/jpeg"]));
      // The source is 320x240: the level of 1280x720 does not enlarge it.
      for (const picture of pictures) {
        expect(jpegSize(picture)).toEqual({ width: 320, height: 240 });
        expect(picture.subarray(0, 4).toString("hex")).toBe("ffd8ffe0");
        expect(picture.length).toBeLessThanOrEqual(jpegBytesMax(320, 240));
      }
      expect(await decode(Buffer.concat(pictures), "mjpeg")).toEqual({ errors: "", frames: 20 });
      const times = parts.map((part) => part.timestampMs);
      expect(times.toSorted((one, other) => one - other)).toEqual(times);
    },
  );

  it("fits the picture into the level, its shape kept", async () => {
    const parts = await watch(`channelid=${ids.g711}`, count(1));
    expect(jpegSize(parts[0]?.body ?? Buffer.alloc(0))).toEqual({ width: 240, height: 180 });
  });

  it.each([
    ["g711", "pcm"],
    ["aac", "pcm"],
  ] as const)("gives the tone of the camera %s as %s", async (camera, form) => {
    const query = `channelid=${ids[camera]}&sound=on&soundformat=${form}`;
    const parts = await watch(query, (all) => sound(all).length > 16_000);
    expect(tonesIn(sound(parts))).toContain(440);
    const kinds = new Set(parts.map((part) => part.contentType));
    expect(kinds).toEqual(new Set(["image/jpeg", "audio, PCM"]));
  });

  it.each([
    ["aac", "aac", "aac", []],
    ["aac", "g711u", "mulaw", ["-ar", "8000", "-ac", "1"]],
    ["g711", "g711a", "alaw", ["-ar", "8000", "-ac", "1"]],
  ] as const)(
    "gives sound of the camera %s as %s that ffmpeg decodes to the tone",
    async (camera, form, format, rate) => {
      const query = `channelid=${ids[camera]}&sound=on&soundformat=${form}`;
      const parts = await watch(
        query,
        (all) => all.filter((part) => part.contentType.startsWith("audio")).length > 60,
      );
      const file = directory.join(`${camera}.${form}`);
      writeFileSync(file, sound(parts));
      const args = [
        "-v",
        "error",
        "-f",
        format,
        ...rate,
        "-i",
        file,
        "-f",
        "s16le",
        "-ar",
        "8000",
        "-ac",
        "1",
        "-",
      ];
      const { stdout, stderr } = await run("ffmpeg", args, { encoding: "buffer" });
      expect(stderr.toString()).toBe("");
      expect(tonesIn(stdout)).toContain(440);
    },
  );

  it("keeps pictures and sound together in time", async () => {
    const parts = await watch(`channelid=${ids.aac}&sound=on&${HIGH}`, count(120));
    const behind = parts.map(
      (part, index) => (parts[Math.max(0, index - 1)]?.timestampMs ?? 0) - part.timestampMs,
    );
    // The first picture may be as old as the GOP.
    expect(Math.max(...behind.slice(5))).toBeLessThan(500);
  });

  it("sends H.264 that ffmpeg decodes at a level with UsePFrames", async () => {
    const level = { Type: "Middle", Width: 200, Height: 120, UsePFrames: true };
    await service.json("/configure/mobile", { method: "PUT", body: { Resolutions: [level] } });
    const parts = await watch(`channelid=${ids.g711}&resolutionx=200&resolutiony=120`, count(30));
    expect(parts[0]?.contentType).toBe("video, h264, I-frame");
    expect(new Set(parts.slice(1).map((part) => part.contentType))).toContain("video, h264, P-frame");
    const stream = Buffer.concat(parts.map((part) => part.body));
    expect(await decode(stream, "h264")).toEqual({ errors: "", frames: 30 });
  });

  it("turns the picture as the stream's RotationMode says", async () => {
    const path = `/configure/channels/${ids.mjpeg}`;
    interface CameraObject {
      ConnectionSettings: {
        MainStreamRotationMode: string;
        StreamSettings: { MainStreamSettings: { RotationMode: string } };
      };
    }
    const camera = await service.json<CameraObject>(path);
    camera.ConnectionSettings.MainStreamRotationMode = "By90ClockwiseDegree";
    camera.ConnectionSettings.StreamSettings.MainStreamSettings.RotationMode = "By90ClockwiseDegree";
    await service.json(path, { method: "PUT", body: camera });
    const [part] = await watch(`channelid=${ids.mjpeg}&${HIGH}`, count(1));
    expect(jpegSize(part?.body ?? Buffer.alloc(0))).toEqual({ width: 240, height: 320 });
  });
});

describe("/mobile of the whole service, recorded", () => {
  it.each(["g711", "bFrames"] as const)("plays %s at four times its speed", async (camera) => {
    const [fragment] = await service.fragments(ids[camera]);
    const start = apiTime((fragment?.fromUs ?? 0) + 500_000);
    const parts = await watch(
      `channelid=${ids[camera]}&mode=archive&starttime=${start}&speed=4&fps=10`,
      count(8),
    );
    const times = parts.map((part) => part.timestampMs).slice(1);
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    // Ten pictures a second at four times the speed lie 400 ms apart; one that a busy machine makes late is nearer to the next.
    const between = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (times.length - 1);
    expect(between).toBeGreaterThanOrEqual(280);
    expect(between).toBeLessThanOrEqual(520);
    const steps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    const usual = steps.filter((step) => step >= 280 && step <= 520);
    expect(usual.length).toBeGreaterThan(steps.length / 2);
  });

  it("answers a single frame of the moment", async () => {
    const [fragment] = await service.fragments(ids.bFrames);
    const momentUs = (fragment?.fromUs ?? 0) + 1_730_000;
    const query = `mode=archive&starttime=${apiTime(momentUs)}&oneframeonly=true`;
    const { body, status } = await service.get(`/mobile?channelid=${ids.bFrames}&${query}`);
    expect(status).toBe(200);
    const head = /Timestamp: \S+ ..:..:(\d\d\.\d{3})\r\nContent-Length: (\d+)\r\n\r\n/.exec(
      body.toString("latin1"),
    );
    expect(Number(head?.[2])).toBe(body.length - body.indexOf("\r\n\r\n") - 4);
    const shownMs = Number(head?.[1]) * 1000;
    const askedMs = (momentUs / 1000) % 60_000;
    expect(askedMs - shownMs).toBeGreaterThanOrEqual(0);
    // A frame is 40 ms; times are the moments of the recorder's clock.
    expect(askedMs - shownMs).toBeLessThanOrEqual(60);
  });
});

describe("programs that show /mobile", () => {
  const address = (query: string): string =>
    `http://127.0.0.1:${service.httpPort}/mobile?login=root&password=${md5(ROOT_PASSWORD)}&${query}`;

  it("scan for SOI and EOI, and split at the boundary, as curl brings it", async () => {
    const args = ["-sN", "--max-time", "2", address(`channelid=${ids.g711}&fps=10`)];
    const bytes = await run("curl", args, { encoding: "buffer", maxBuffer: 1 << 26 }).then(
      ({ stdout }) => stdout,
      (error: { stdout: Buffer }) => error.stdout,
    );
    const scanned = scanJpegs(bytes);
    expect(scanned.length).toBeGreaterThan(5);
    const split = bytes.toString("latin1").split("--myboundary\r\n").slice(1, -1);
    expect(split.map((part) => part.slice(part.indexOf("\r\n\r\n") + 4, -2))).toEqual(
      scanned.slice(0, split.length).map((jpeg) => jpeg.toString("latin1")),
    );
  });

  it("read with Python's urllib3, which shows a part when it has its whole chunk", async () => {
    const code = [
      "import sys, urllib3",
      "r = urllib3.PoolManager().request('GET', sys.argv[1], preload_content=False)",
      "data, seen = b'', 0",
      "for chunk in r.read_chunked():",
      "    data += chunk",
      "    while True:",
      "        a = data.find(b'\\xff\\xd8'); b = data.find(b'\\xff\\xd9', a)",
      "        if a < 0 or b < 0: break",
      "        data = data[b + 2:]; seen += 1",
      "    if seen >= 5: break",
      "print(seen, r.headers['Content-Type'])",
    ].join("\n");
    const { stdout } = await run("python3", ["-c", code, address(`channelid=${ids.g711}`)], {
      timeout: 20_000,
    });
    expect(stdout.trim()).toBe("5 multipart/x-mixed-replace; boundary=myboundary");
  });

  it("read with PHP's streams into buffers of one size", async () => {
    const code = [
      "$f = fopen($argv[1], 'rb'); $seen = 0;",
      "while ($seen < 5) {",
      "  if (trim(fgets($f)) !== '--myboundary') exit('no boundary');",
      "  $length = 0;",
      "  while (($line = trim(fgets($f))) !== '') { if (sscanf($line, 'Content-Length: %d', $n) === 1) $length = $n; }",
      "  if ($length > 60000) exit('too long');",
      "  $jpeg = stream_get_contents($f, $length); fgets($f);",
      "  if (getimagesizefromstring($jpeg) === false) exit('no picture'); $seen++;",
      "} echo $seen;",
    ].join("\n");
    const { stdout } = await run("php", ["-r", code, "--", address(`channelid=${ids.g711}`)], {
      timeout: 20_000,
    });
    expect(stdout).toBe("5");
  });

  it.skipIf(noBrowser !== undefined)(`show it moving in a browser's <img>${notHere(noBrowser)}`, async () => {
    const page = await (await sharedChromium()).newPage();
    try {
      const source = address(`channelid=${ids.g711}&withcontenttype=true&${HIGH}`);
      await page.setContent(`<img id="camera" src="${source}">`);
      const shot = () => page.locator("#camera").screenshot();
      await page.waitForFunction("document.querySelector('#camera').naturalWidth === 320");
      const first = await shot();
      await expect.poll(async () => (await shot()).equals(first)).toBe(false);
    } finally {
      await page.close();
    }
  });
});
