import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  elementaryStream,
  PacedClip,
  pacedFrames,
  readPacedFrames,
} from "../../support/archive/paced-recording.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { decode } from "../../support/media/ffmpeg.js";
import { isH264ParameterSet, splitNalUnits } from "../../support/media/nal-units.js";
import { runToEnd } from "../../support/service/background-process.js";
import { PacedSource, pacedClockOf, SMALL_CLIP } from "../../support/service/paced-source.js";
import { MODULES_PROGRAM } from "../../support/service/program.js";
import { apiTime, pause, Service } from "../../support/service/service.js";

const MAIN = 0;
const ALTERNATIVE = 1;

let directory: TemporaryDirectory;
let source: PacedSource;
let clip: PacedClip;
let service: Service;
let channelId = "";

beforeAll(async () => {
  directory = new TemporaryDirectory("video");
  source = await PacedSource.start(2, SMALL_CLIP);
  clip = new PacedClip(source.clipFile);
  // The shortest segments: a quarter of a minute of archive crosses several.
  // From the files of dist/: the other test files start the bundle.
  service = await Service.start({
    dataDir: directory.join("data"),
    settings: { segmentSeconds: 5 },
    program: MODULES_PROGRAM,
  });
  const camera = { name: "Gate", url: source.url(MAIN), alternativeUrl: source.url(ALTERNATIVE) };
  [channelId = ""] = await service.addCameras([camera]);
  await service.recorded([channelId], 12_000_000);
});

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  directory?.remove();
});

const archive = (fromUs: number, speed: number): string =>
  `channelid=${channelId}&mode=archive&starttime=${apiTime(fromUs)}&speed=${speed}`;

describe("/video of the whole service", () => {
  it("gives live frames byte for byte as the camera sent them, none missing", async () => {
    const video = await service.video(`channelid=${channelId}`);
    const frames = await readPacedFrames(video, (_, count) => count === 60);
    expect(frames[0]?.part.contentType).toBe("video, h264, I-frame");
    expect(clip.differencesOf(frames)).toEqual([]);
  });

  it("gives archive frames byte for byte as the camera sent them, across segments", async () => {
    const [fragment] = await service.fragments(channelId);
    const video = await service.video(archive(fragment?.fromUs ?? 0, 20));
    const frames = await readPacedFrames(video, (_, count) => count === 290);
    expect(clip.differencesOf(frames)).toEqual([]);
  });

  it("records the NAL units that ffmpeg -c copy takes from the same camera", async () => {
    const file = directory.join("copy.h264");
    const startUs = Date.now() * 1000;
    await runToEnd("ffmpeg", [
      "-v",
      "error",
      "-rtsp_transport",
      "tcp",
      "-i",
      source.url(MAIN),
      "-t",
      "3",
      "-c",
      "copy",
      file,
    ]);
    const copied = splitNalUnits(readFileSync(file)).filter((unit) => !isH264ParameterSet(unit));
    const lastClock =
      copied.map((unit) => pacedClockOf(unit)?.frame).findLast((frame) => frame !== undefined) ?? 0;
    const video = await service.video(archive(startUs - 2_000_000, 20));
    const frames = await readPacedFrames(video, (frame) => frame.clock.frame > lastClock);
    // The moment of sending differs between the two connections; everything else is the same.
    const vcl = (units: Buffer[]): string[] =>
      units
        .filter((unit) => !isH264ParameterSet(unit) && pacedClockOf(unit) === undefined)
        .map((unit) => unit.toString("base64"));
    const recorded = vcl(splitNalUnits(elementaryStream(frames))).join("\n");
    expect(recorded).toContain(vcl(copied).join("\n"));
  });

  it("decodes without an error, live and archive", async () => {
    const [fragment] = await service.fragments(channelId);
    for (const query of [`channelid=${channelId}`, archive(fragment?.fromUs ?? 0, 20)]) {
      const video = await service.video(query);
      const frames = await readPacedFrames(video, (_, count) => count === 50);
      expect(await decode(elementaryStream(frames), "h264")).toEqual({ errors: "", frames: 50 });
    }
  });

  it("stays open at the live edge of the archive and sends frames as they are recorded", async () => {
    const nowUs = Date.now() * 1000;
    const video = await service.video(archive(nowUs - 2_000_000, 20));
    const frames = await readPacedFrames(video, (frame) => frame.clock.sentUs > nowUs + 2_000_000);
    expect(clip.differencesOf(frames)).toEqual([]);
  });

  it("connects another stream while someone watches it, and no longer", async () => {
    const before = await clients(source);
    const video = await service.video(`channelid=${channelId}&streamtype=Alternative`);
    const frames = await pacedFrames(video.parts, (_, count) => count === 10);
    expect(new Set(frames.map((frame) => frame.clock.stream))).toEqual(new Set([ALTERNATIVE]));
    expect(await clients(source)).toBe(before + 1);
    video.close();
    for (let tries = 0; tries < 100 && (await clients(source)) !== before; tries++) await pause(100);
    expect(await clients(source)).toBe(before);
  });

  it("does not make others wait for a viewer that stops reading", async () => {
    const stalled = await service.video(`channelid=${channelId}`);
    await pacedFrames(stalled.parts, (_, count) => count === 1);
    stalled.response.pause();
    const other = await service.video(`channelid=${channelId}`);
    const frames = await readPacedFrames(other, (_, count) => count === 100);
    expect(clip.differencesOf(frames)).toEqual([]);
    stalled.close();
  });
});

async function clients(from: PacedSource): Promise<number> {
  return (await from.report()).clients;
}
