import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { pictureHashes } from "../../support/hls/hls-clips.js";
import { readPlaylist } from "../../support/hls/hls-playlist.js";
import { breaksInClip } from "../../support/media/clip-order.js";
import { GstRtspServer } from "../../support/rtsp/gst-rtsp-server.js";
import { apiTime, Service } from "../../support/service/service.js";

const run = promisify(execFile);
/** Pictures that are looked at. */
const COUNT = 60;
const VIDEOS = { h264: "h264", h265: "h265b" } as const;

let directory: TemporaryDirectory;
let cameras: GstRtspServer;
let service: Service;
let ids: Record<"h264" | "h265" | "mjpeg", string>;

beforeAll(async () => {
  directory = new TemporaryDirectory("hls-service");
  cameras = await GstRtspServer.start({ videos: ["h264", "h265b", "mjpeg"] });
  service = await Service.start({ dataDir: directory.join("data") });
  const [h264 = "", h265 = "", mjpeg = ""] = await service.addCameras([
    { name: "Gate", url: cameras.url("h264-mulaw"), sound: true },
    { name: "Roof", url: cameras.url("h265b"), format: "Hevc" },
    { name: "Yard", url: cameras.url("mjpeg-mulaw"), format: "MJPEG", sound: true },
  ]);
  ids = { h264, h265, mjpeg };
  await service.recorded([h264, h265, mjpeg], 6_000_000);
});

afterAll(async () => {
  await service?.stop();
  await cameras?.stop();
  directory?.remove();
});

async function addressOf(query: string): Promise<string> {
  const { status, body } = await service.get(`/hls?${query}`);
  expect([status, body.toString()]).toEqual([200, expect.stringMatching(/^[0-9a-f]{40}\.m3u8$/)]);
  return `http://127.0.0.1:${service.httpPort}/hls/${body.toString()}`;
}

/** They are the pictures that the camera sends over and over, without one left out. */
async function expectClip(hashes: readonly string[], video: "h264" | "h265b"): Promise<void> {
  const file = directory.join(`${video}.raw`);
  writeFileSync(file, await cameras.clip(video));
  const format = video === "h264" ? "h264" : "hevc";
  const clip = (await pictureHashes(file, 1000, ["-f", format])).hashes;
  expect(clip.length).toBeGreaterThan(50);
  expect(breaksInClip(hashes, clip)).toEqual([]);
}

describe("/hls of the whole service", () => {
  it.each(["h264", "h265"] as const)("shows all the pictures of the camera %s, live", async (camera) => {
    const { hashes, complaints } = await pictureHashes(await addressOf(`channelid=${ids[camera]}`), COUNT);
    expect(complaints).toBe("");
    expect(hashes.length).toBe(COUNT);
    await expectClip(hashes, VIDEOS[camera]);
  });

  it.each(["h264", "h265"] as const)("shows all that was recorded of the camera %s", async (camera) => {
    const [fragment] = await service.fragments(ids[camera]);
    const query = `channelid=${ids[camera]}&mode=archive&starttime=${apiTime(fragment?.fromUs ?? 0)}`;
    const { hashes, complaints } = await pictureHashes(await addressOf(query), COUNT);
    expect(complaints).toBe("");
    expect(hashes.length).toBe(COUNT);
    await expectClip(hashes, VIDEOS[camera]);
  });

  it("has AAC beside the pictures of a camera that sends G.711", async () => {
    const address = await addressOf(`channelid=${ids.h264}&sound=on`);
    const args = [
      "-v",
      "error",
      "-show_entries",
      "stream=codec_name,profile,sample_rate",
      "-of",
      "csv=p=0",
      address,
    ];
    const { stdout, stderr } = await run("ffprobe", args, { timeout: 60_000 });
    expect(stderr).toBe("");
    expect(stdout).toContain("aac,LC,16000");
    expect(stdout).toContain("h264,");
  });

  it("dates its segments by the recorder's clock", async () => {
    const address = await addressOf(`channelid=${ids.h264}`);
    const { segments } = readPlaylist(await (await fetch(address.replace(".m3u8", "/media.m3u8"))).text());
    const behindMs = Date.now() - (segments.at(-1)?.timeMs ?? 0);
    expect(Math.abs(behindMs)).toBeLessThan(20_000);
  });

  it.each([
    ["live", ""],
    ["from the archive", "&mode=archive&starttime="],
  ])("shows a camera that sends MJPEG as H.264, %s, all its pictures", async (_, mode) => {
    const [fragment] = await service.fragments(ids.mjpeg);
    const start = mode === "" ? "" : apiTime(fragment?.fromUs ?? 0);
    const address = await addressOf(`channelid=${ids.mjpeg}&sound=on${mode}${start}`);
    const { hashes, complaints } = await pictureHashes(address, COUNT);
    expect([complaints, hashes.length]).toEqual(["", COUNT]);
    // The test picture moves: no picture is the one before.
    expect(new Set(hashes).size).toBeGreaterThan(COUNT * 0.9);
    const args = "-v error -show_entries stream=codec_name,width,height,sample_rate -of csv=p=0".split(" ");
    const { stdout } = await run("ffprobe", [...args, address], { timeout: 60_000 });
    expect(stdout).toContain("h264,320,240");
    expect(stdout).toContain("aac,16000");
  });

  it("transcodes a camera that sends MJPEG once for all who play it live", async () => {
    const addresses = await Promise.all(
      ["", "&sound=on", "&sound=on"].map((sound) => addressOf(`channelid=${ids.mjpeg}${sound}`)),
    );
    const all = await Promise.all(addresses.map((address) => pictureHashes(address, 20)));
    expect(all.map(({ hashes }) => hashes.length)).toEqual([20, 20, 20]);
    const metrics = (await service.get("/metrics")).body.toString();
    const transcodes = /^nvrd_transcodes(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1];
    expect(Number(transcodes ?? 1)).toBeLessThanOrEqual(2);
  });
});
