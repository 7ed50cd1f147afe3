import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readManifest } from "../../../src/away/plan/manifest.js";
import type { RestoreReport } from "../../../src/away/restore.js";
import type { Timeline } from "../../../src/contract/answer/timeline.js";
import { until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { pictureHashes } from "../../support/hls/hls-clips.js";
import { ffmpegCopy } from "../../support/rtsp/rtsp-players.js";
import { BackgroundProcess, freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { PROGRAM } from "../../support/service/program.js";
import { apiTime, checkOffline, ROOT_PASSWORD, Service } from "../../support/service/service.js";

const WAIT_MS = 120_000;
const ROOT_QUERY = `login=root&password=${createHash("md5").update(ROOT_PASSWORD).digest("hex")}`;
const JPEG_BEGIN = Buffer.from([0xff, 0xd8, 0xff]);
/** Of the camera: a key frame every four seconds. */
const GOP_SECONDS = 4;
/** So many key frames are asked for. */
const KEY_FRAMES = 4;

let directory: TemporaryDirectory;
let store: ScriptedStore;
let source: PacedSource;
let service: Service;
let rtspPort = 0;
let id = "";
let span: { readonly fromUs: number; readonly toUs: number };

async function run(volume: string): Promise<void> {
  service = await Service.start({
    ...{ dataDir: directory.join("data"), rtspPort },
    settings: { segmentSeconds: 5, logLevel: "debug", volumes: [{ path: directory.join(volume) }] },
  });
}

const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

const named = () =>
  [...store.objects]
    .filter(([key]) => key.startsWith("box/manifests/"))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(-1)
    .flatMap(([, content]) => readManifest(content).segments);

beforeAll(async () => {
  directory = new TemporaryDirectory("nvrd-away-key-frames");
  store = await new ScriptedStore().start();
  source = await PacedSource.start(1, { ...SMALL_CLIP, gopFrames: GOP_SECONDS * SMALL_CLIP.fps });
  [rtspPort = 0] = await freePorts(1);
  await run("volume");
  [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
  const target = {
    ...{ Name: "Cellar", Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "box/" },
    ...{ AccessKeyId: "AKID", SecretAccessKey: "away-Secret-1", Content: "KeyFrames", From: "Oldest" },
  };
  await service.json("/configure/away", { method: "POST", body: [target] });
  await until("three recordings to be named", () => named().length >= 3, 2 * WAIT_MS);
  const [first, , third] = named();
  if (first === undefined || third === undefined) throw new Error("too few");
  span = { fromUs: first.fromUs, toUs: third.toUs };
}, 3 * WAIT_MS);

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  store?.stop();
  directory?.remove();
});

const archive = () => `channelid=${id}&mode=archive&starttime=${apiTime(span.fromUs)}`;
const keyFramesOf = () =>
  named()
    .filter(({ fromUs, toUs }) => fromUs < span.toUs && toUs > span.fromUs)
    .reduce((sum, { videoFrames }) => sum + videoFrames, 0);

async function video(count: number): Promise<readonly string[]> {
  const answer = await service.video(`${archive()}&speed=8`);
  const hashes: string[] = [];
  for await (const part of answer.parts) {
    hashes.push(sha256(part.body));
    if (hashes.length >= count) break;
  }
  answer.close();
  return hashes;
}

async function still(): Promise<string> {
  const { status, body } = await service.get(`/site?${archive()}`);
  expect(status).toBe(200);
  return sha256(body);
}

interface Before {
  readonly video: readonly string[];
  readonly still: string;
  readonly hls: readonly string[];
}
let before: Before;

async function hls(count: number): Promise<readonly string[]> {
  const list = (await service.get(`/hls?${archive()}`)).body.toString();
  const { hashes, complaints } = await pictureHashes(
    `http://127.0.0.1:${service.httpPort}/hls/${list}`,
    count,
  );
  expect(complaints).toBe("");
  return hashes;
}

it("are all that every door has of recordings whose disk was lost, each as it was before", {
  timeout: 3 * WAIT_MS,
}, async () => {
  const frames = KEY_FRAMES * GOP_SECONDS * SMALL_CLIP.fps;
  before = { video: await video(frames), still: await still(), hls: await hls(frames) };
  await service.stop();
  rmSync(directory.join("data", "index"), { recursive: true });
  await run("second");
  const fragments = async () => await service.fragments(id, span.fromUs, span.toUs);
  await expect.poll(async () => (await fragments()).length, { timeout: WAIT_MS }).toBe(1);
  const [fragment] = await fragments();
  expect((fragment?.toUs ?? 0) - (fragment?.fromUs ?? 0)).toBeGreaterThanOrEqual(span.toUs - span.fromUs);
  expect(await still()).toBe(before.still);
  const alone = await video(KEY_FRAMES);
  expect(alone).toEqual(
    before.video.filter((_hash, at) => at % (GOP_SECONDS * SMALL_CLIP.fps) === 0).slice(0, KEY_FRAMES),
  );
  const pictures = await hls(KEY_FRAMES);
  expect(pictures).toEqual(
    before.hls.filter((_hash, at) => at % (GOP_SECONDS * SMALL_CLIP.fps) === 0).slice(0, KEY_FRAMES),
  );
});

it("make an export of single pictures that lasts as long, and play over RTSP, /mobile and the live socket", {
  timeout: 2 * WAIT_MS,
}, async () => {
  const time = `channelid=${id}&fromtime=${apiTime(span.fromUs)}&totime=${apiTime(span.toUs)}`;
  const exported = await service.get(`/exportarchive?${time}`);
  expect(exported.status).toBe(200);
  expect(exported.body.includes(", key frames only")).toBe(true);
  writeFileSync(directory.join("export.mp4"), exported.body);
  const { hashes, complaints } = await pictureHashes(directory.join("export.mp4"), 1000);
  expect([hashes.length, complaints]).toEqual([keyFramesOf(), ""]);
  expect(hashes[0]).toBe(before.hls[0]);
  const rtsp = await ffmpegCopy(`rtsp://127.0.0.1:${rtspPort}/rtsp?${archive()}&${ROOT_QUERY}`, "h264", [
    "-frames:v",
    `${KEY_FRAMES}`,
  ]);
  expect([rtsp.status, rtsp.errors]).toEqual([0, ""]);
  const mobile = (await service.get(`/mobile?${archive()}&oneframeonly=true`)).body;
  expect(mobile.includes(JPEG_BEGIN)).toBe(true);
  const socket = new LiveSocketClient(service.httpPort, { path: `/api/live?${ROOT_QUERY}` });
  await socket.greet();
  const watches = [{ id: 1, channel: id, tile: { width: 320, height: 240 } }];
  socket.say({ type: "play", from: Math.ceil(span.fromUs / 1000), watches });
  await until("its pictures", () => socket.pictures().length >= 3);
  expect(socket.of("error")).toEqual([]);
  socket.close();
});

it("are marked on the timeline as what they are", async () => {
  const time = `from=${span.fromUs / 1000}&to=${span.toUs / 1000}&steps=100`;
  const { Channels } = await service.json<Timeline>(`/api/timeline?channels=${id}&${time}`);
  const all = [{ From: span.fromUs / 1000, To: span.toUs / 1000 }];
  expect(Channels[0]).toMatchObject({ Runs: all, Away: all, KeyFrames: all, Gaps: [] });
});

it("come back onto new disks as what they are, for a clean deep check", {
  timeout: 2 * WAIT_MS,
}, async () => {
  await service.stop();
  const where = { Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "box/" };
  directory.write({
    "target.json": JSON.stringify({ ...where, AccessKeyId: "AKID", SecretAccessKey: "away-Secret-1" }),
  });
  const args = ["restore", directory.join("target.json"), directory.join("restored"), "--json"];
  const child = new BackgroundProcess(PROGRAM, args, { cwd: REPOSITORY_ROOT });
  expect((await child.exited).code, child.output).toBe(0);
  const report = JSON.parse(child.stdout) as RestoreReport;
  expect(report.damaged).toEqual([]);
  directory.write({ "new.json": JSON.stringify({ volumes: report.volumes.map((path) => ({ path })) }) });
  mkdirSync(directory.join("new"));
  const flags = ["--config", directory.join("new.json"), "--deep"];
  const built = await checkOffline(directory.join("new"), [...flags, "--rebuild"]).catch(() => undefined);
  expect(built?.exit.code, built?.text).toBe(0);
  const checked = await checkOffline(directory.join("new"), flags);
  expect(checked.exit.code, checked.text).toBe(0);
});
