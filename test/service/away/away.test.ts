import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
import { BackgroundProcess, type Exit, freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { PROGRAM } from "../../support/service/program.js";
import {
  apiTime,
  checkOffline,
  type Fragment,
  ROOT_PASSWORD,
  Service,
} from "../../support/service/service.js";

const WAIT_MS = 120_000;
const SECRET = "away-Secret-1";
/** Pictures that a player takes. */
const PICTURES = 30;
const JPEG_BEGIN = Buffer.from([0xff, 0xd8, 0xff]);
const ROOT_QUERY = `login=root&password=${createHash("md5").update(ROOT_PASSWORD).digest("hex")}`;

let directory: TemporaryDirectory;
let store: ScriptedStore;
let source: PacedSource;
let service: Service;

beforeAll(async () => {
  directory = new TemporaryDirectory("nvrd-away-service");
  store = await new ScriptedStore().start();
  source = await PacedSource.start(1, SMALL_CLIP);
  service = await Service.start({
    dataDir: directory.join("data"),
    settings: { segmentSeconds: 5, logLevel: "debug", volumes: [{ path: directory.join("volume") }] },
  });
});

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  store?.stop();
  directory?.remove();
});

interface AwayState {
  readonly Activity: string;
  readonly SentSegments: number;
  readonly KnownSegments: number;
  readonly Problem: string | null;
}

const target = (change: object = {}) => ({
  ...{ Name: "Cellar", Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "box/" },
  ...{ AccessKeyId: "AKID", SecretAccessKey: SECRET, Content: "Everything", From: "Oldest" },
  ...change,
});

it("loads nothing of object storage while there is no target", () => {
  const bundle = join(REPOSITORY_ROOT, "bundle");
  expect(readFileSync(join(bundle, "cli.js"), "utf8")).not.toContain("ListBucketResult");
  expect(existsSync(directory.join("data", "away"))).toBe(false);
  expect(threads()).not.toContain("away");
});

it("sends what it records, bit for bit, from a thread of its own", { timeout: 2 * WAIT_MS }, async () => {
  const [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
  await service.recorded([id], 12_000_000, WAIT_MS);
  await service.json("/configure/away", { method: "POST", body: [target()] });
  await expect.poll(sentSegments, { timeout: WAIT_MS }).toBeGreaterThanOrEqual(2);
  await expect.poll(() => manifests().length, { timeout: WAIT_MS }).toBeGreaterThanOrEqual(1);
  const [content = Buffer.alloc(0)] = manifests();
  const manifest = readManifest(content);
  expect(manifest.channel).toEqual({ id, name: "Gate" });
  for (const { segmentId, sha256, video, bytes } of manifest.segments) {
    const name = `${segmentId.toString(16).padStart(14, "0")}.seg`;
    const file = readFileSync(join(directory.join("volume"), fileNamed(name)));
    const [, object = Buffer.alloc(0)] = [...store.objects].find(([key]) => key.endsWith(name)) ?? [];
    expect(object.equals(file)).toBe(true);
    expect(createHash("sha256").update(file).digest("hex")).toBe(sha256);
    expect({ video, bytes }).toEqual({ video: 1, bytes: file.length });
  }
  // A segment that was never closed is not recorded yet.
  expect(manifest.segments.length).toBeGreaterThanOrEqual(2);
  expect(content.toString()).toMatch(/"gaps":\[\{"fromUs":\d+,"toUs":\d+,"reason":"[a-z-]+"/);
  expect(service.log).not.toContain(SECRET);
});

it("refuses a target that does not work, and says why", async () => {
  store.fault = () => ({ status: 403, code: "SignatureDoesNotMatch" });
  const answer = await service.get("/configure/away", {
    method: "POST",
    body: [target({ Name: "Other", Prefix: "other/" })],
  });
  store.fault = () => undefined;
  expect(answer.status).toBe(400);
  expect(answer.body.toString()).toMatch(/the access key or its secret is wrong/);
});

it("goes on after it was killed", async () => {
  const before = (await states())[0]?.SentSegments ?? 0;
  await service.kill();
  service = await Service.start({
    dataDir: directory.join("data"),
    settings: { segmentSeconds: 5, volumes: [{ path: directory.join("volume") }] },
  });
  await expect.poll(sentSegments, { timeout: WAIT_MS }).toBeGreaterThan(before);
  const keys = [...store.objects.keys()].filter((key) => key.endsWith(".seg"));
  expect(new Set(keys).size).toBe(keys.length);
});

it("locks what is protected, goes on after it was killed, and tells who lifted it", async () => {
  store.hasLock = true;
  const [sent] = manifests().flatMap((content) => readManifest(content).segments);
  const { Channels } = await service.json<{ Channels: { Id: string }[] }>("/configex?responsetype=json");
  const time = (us: number) => new Date(us / 1000).toISOString();
  const protectedTime = await service.json<{ Id: string }>(`/api/channels/${Channels[0]?.Id}/protected`, {
    method: "POST",
    body: { FromTime: time((sent?.fromUs ?? 0) + 1_000_000), ToTime: time((sent?.fromUs ?? 0) + 2_000_000) },
  });
  const wish = { ProtectedId: protectedTime.Id, UntilDay: "2099-12-31", LegalHold: true };
  const [lock] = await service.json<{ Id: string }[]>("/api/away/locks", { method: "POST", body: wish });
  await service.kill();
  service = await Service.start({
    dataDir: directory.join("data"),
    settings: { segmentSeconds: 5, volumes: [{ path: directory.join("volume") }] },
  });
  const locks = async () => (await service.json<readonly object[]>("/api/away/locks"))[0];
  await expect.poll(locks, { timeout: WAIT_MS }).toMatchObject({ Segments: 1, Done: 1, IsCounting: false });
  expect([...store.locks.values()]).toEqual([
    { mode: "GOVERNANCE", until: "2100-01-01T00:00:00.000Z", hold: "ON" },
  ]);
  await service.json(`/api/away/locks/${lock?.Id}`, { method: "DELETE" });
  await expect.poll(() => [...store.locks.values()][0]?.hold, { timeout: WAIT_MS }).toBe("OFF");
  await service.json(`/api/channels/${Channels[0]?.Id}/protected/${protectedTime.Id}`, { method: "DELETE" });
});

it("comes back onto new disks, byte for byte, for a clean deep check", { timeout: 2 * WAIT_MS }, async () => {
  await service.stop();
  const file = directory.join("target.json");
  const { Name, Content, From, ...where } = target();
  directory.write({ "target.json": JSON.stringify(where) });
  const restored = directory.join("restored");
  // The first try ends half-way: the second one goes on.
  let left = 1;
  store.fault = ({ method, key }) =>
    method === "GET" && key.endsWith(".seg") && --left < 0
      ? { status: 403, code: "AccessDenied" }
      : undefined;
  expect((await restore(file, restored)).exit.code).toBe(3);
  store.fault = () => undefined;
  const second = await restore(file, restored);
  expect(second.exit.code).toBe(0);
  const report = JSON.parse(second.text) as RestoreReport;
  expect(report.kept).toBeGreaterThanOrEqual(1);
  expect(report.damaged).toEqual([]);
  const [volume = ""] = report.volumes;
  const files = readdirSync(volume, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".seg"),
  );
  expect(files.length).toBe(report.kept + report.segments);
  for (const name of files)
    expect(readFileSync(join(volume, name)).equals(readFileSync(join(directory.join("volume"), name)))).toBe(
      true,
    );
  directory.write({ "new.json": JSON.stringify({ volumes: [{ path: volume }] }) });
  mkdirSync(directory.join("new"));
  const flags = ["--config", directory.join("new.json"), "--deep"];
  const built = await checkOffline(directory.join("new"), [...flags, "--rebuild"]).catch(() => undefined);
  expect(built?.exit.code, built?.text).toBe(0);
  const checked = await checkOffline(directory.join("new"), flags);
  expect(checked.exit.code, checked.text).toBe(0);
  // Not even the log of the commands has the secret.
  expect(second.text).not.toContain(SECRET);
});

async function restore(file: string, into: string): Promise<{ exit: Exit; text: string }> {
  const child = new BackgroundProcess(PROGRAM, ["restore", file, into, "--json"], { cwd: REPOSITORY_ROOT });
  const exit = await child.exited;
  return { exit, text: child.stdout };
}

async function states(): Promise<readonly AwayState[]> {
  return await service.json<readonly AwayState[]>("/api/away");
}

async function sentSegments(): Promise<number> {
  return (await states())[0]?.SentSegments ?? 0;
}

function manifests(): readonly Buffer[] {
  return [...store.objects].filter(([key]) => key.startsWith("box/manifests/")).map(([, content]) => content);
}

/** In its place, or in `open/` until the index is on the disk. */
function fileNamed(name: string): string {
  const all = readdirSync(directory.join("volume"), { recursive: true, encoding: "utf8" });
  return all.find((path) => path.endsWith(name)) ?? name;
}

/** Names of the service's threads. */
function threads(): readonly string[] {
  const tasks = `/proc/${service.process.pid}/task`;
  return readdirSync(tasks).map((task) => readFileSync(join(tasks, task, "comm"), "utf8").trim());
}

describe("recordings that are only in the bucket", () => {
  interface Doors {
    readonly fragments: readonly Fragment[];
    readonly exported: string;
    readonly video: readonly string[];
    readonly site: string;
    readonly nearest: string | null;
  }

  /** What players get of the first pictures of a time. */
  interface Played {
    readonly hls: readonly string[];
    readonly rtsp: string;
    readonly mobile: string;
    /** Of the live socket: when, and how many bytes. */
    readonly socket: readonly (readonly [timeUs: number, bytes: number])[];
  }

  let id = "";
  let rtspPort = 0;
  let played: Played;
  let span: { readonly fromUs: number; readonly toUs: number };
  let before: Doors;

  const named = () => manifests().flatMap((content) => readManifest(content).segments);

  const query = ({ fromUs, toUs }: typeof span) =>
    `channelid=${id}&fromtime=${apiTime(fromUs)}&totime=${apiTime(toUs)}`;

  async function run(volume: string): Promise<void> {
    service = await Service.start({
      dataDir: directory.join("data"),
      rtspPort,
      settings: { segmentSeconds: 5, logLevel: "debug", volumes: [{ path: directory.join(volume) }] },
    });
  }

  async function play(): Promise<Played> {
    const at = `channelid=${id}&mode=archive&starttime=${apiTime(span.fromUs)}`;
    const list = (await service.get(`/hls?${at}`)).body.toString();
    const hls = await pictureHashes(`http://127.0.0.1:${service.httpPort}/hls/${list}`, PICTURES);
    expect(hls.complaints).toBe("");
    const address = `rtsp://127.0.0.1:${rtspPort}/rtsp?${at}&${ROOT_QUERY}`;
    const rtsp = await ffmpegCopy(address, "h264", ["-frames:v", `${PICTURES}`]);
    expect([rtsp.status, rtsp.errors]).toEqual([0, ""]);
    const still = (await service.get(`/mobile?${at}&oneframeonly=true`)).body;
    expect(still.includes(JPEG_BEGIN)).toBe(true);
    return {
      hls: hls.hashes,
      rtsp: sha256(rtsp.output),
      mobile: sha256(still.subarray(still.indexOf(JPEG_BEGIN))),
      socket: await overSocket(),
    };
  }

  async function overSocket(): Promise<Played["socket"]> {
    const socket = new LiveSocketClient(service.httpPort, { path: `/api/live?${ROOT_QUERY}` });
    await socket.greet();
    expect(socket.status).toBe(101);
    const watches = [{ id: 1, channel: id, tile: { width: 320, height: 240 } }];
    socket.say({ type: "play", from: Math.ceil(span.fromUs / 1000), watches });
    await until("its pictures", () => socket.pictures().length >= PICTURES);
    expect(socket.of("error")).toEqual([]);
    socket.close();
    const first = socket.pictures().slice(0, PICTURES);
    return first.map(({ timeUs, media }) => [timeUs, media.length]);
  }

  /** What the doors give of a time. */
  async function doors(): Promise<Doors> {
    const { fromUs, toUs } = span;
    const inside = (await service.fragments(id, fromUs, toUs)).map((fragment) => ({
      id: fragment.id,
      fromUs: Math.max(fragment.fromUs, fromUs),
      toUs: Math.min(fragment.toUs, toUs),
    }));
    const exported = await service.get(`/exportarchive?${query(span)}`);
    expect(exported.status).toBe(200);
    const at = `channelid=${id}&mode=archive&starttime=${apiTime(fromUs)}`;
    const answer = await service.video(`${at}&speed=8`);
    const video: string[] = [];
    for await (const part of answer.parts) {
      video.push(createHash("sha256").update(part.body).digest("hex"));
      if (video.length >= 60) break;
    }
    answer.close();
    const site = await service.get(`/site?${at}`);
    expect(site.status).toBe(200);
    const command = `type=findarchive&channelid=${id}&searchtime=${apiTime(fromUs)}&accept=application/json`;
    const nearest = await service.json<{ NearestFrameTimestamp: string | null }>(`/command?${command}`);
    expect(nearest.NearestFrameTimestamp).not.toBeNull();
    return {
      ...{ fragments: inside, video, exported: sha256(exported.body), site: sha256(site.body) },
      nearest: nearest.NearestFrameTimestamp,
    };
  }

  it("are known without a link: what is played says what is missing, and when to ask again", {
    timeout: 3 * WAIT_MS,
  }, async () => {
    [rtspPort = 0] = await freePorts(1);
    await run("volume");
    const { Channels } = await service.json<{ Channels: { Id: string }[] }>("/configex?responsetype=json");
    id = Channels[0]?.Id ?? "";
    await expect.poll(() => named().length, { timeout: WAIT_MS }).toBeGreaterThanOrEqual(4);
    const [first, second] = named();
    if (first === undefined || second === undefined) throw new Error("too few");
    span = { fromUs: first.fromUs + 2_000_000, toUs: second.toUs - 1_000_000 };
    before = await doors();
    played = await play();
    const known = async () => (await states())[0]?.KnownSegments ?? 0;
    await expect.poll(known, { timeout: WAIT_MS }).toBeGreaterThanOrEqual(2);
    await service.stop();
    // Its disk is lost, and what was known of it; and the link.
    rmSync(directory.join("data", "index"), { recursive: true });
    store.fault = () => ({ status: 503, code: "SlowDown" });
    await run("second");
    const count = async () => (await service.fragments(id, span.fromUs, span.toUs)).length;
    await expect.poll(count, { timeout: WAIT_MS }).toBe(1);
    const at = `channelid=${id}&mode=archive&starttime=${apiTime(span.fromUs)}`;
    for (const path of [`/video?${at}`, `/site?${at}`, `/exportarchive?${query(span)}`, `/hls?${at}`]) {
      const { status, headers, body } = await service.get(path);
      expect({ path, status, retry: headers["retry-after"] }).toEqual({ path, status: 503, retry: "5" });
      expect(body.toString()).toMatch(/off the box at Cellar .* busy/);
    }
    const live = await service.get(`/site?channelid=${id}`);
    expect(live.status).toBe(200);
  });

  it("come through every door as if they were here", async () => {
    store.fault = () => undefined;
    const at = `channelid=${id}&mode=archive&starttime=${apiTime(span.fromUs)}`;
    await expect.poll(async () => (await service.get(`/site?${at}`)).status, { timeout: WAIT_MS }).toBe(200);
    expect(await doors()).toEqual(before);
    expect(await play()).toEqual(played);
    const ranges = store.asked.filter(
      ({ key, headers }) => key.endsWith(".seg") && headers.range !== undefined,
    );
    expect(ranges.length).toBeGreaterThan(0);
  });

  it("are marked on the timeline", async () => {
    const time = `from=${span.fromUs / 1000}&to=${span.toUs / 1000}&steps=100`;
    const { Channels } = await service.json<Timeline>(`/api/timeline?channels=${id}&${time}`);
    const whole = [{ From: span.fromUs / 1000, To: span.toUs / 1000 }];
    expect(Channels[0]).toMatchObject({ Runs: whole, Away: whole, Gaps: [] });
  });
});

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
