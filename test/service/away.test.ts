import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RestoreReport } from "../../src/away/index.js";
import { readManifest } from "../../src/away/plan/manifest.js";
import type { TimelineAnswer } from "../../src/messages/index.js";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { BackgroundProcess, type Exit } from "../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { PROGRAM } from "../support/service/program.js";
import { apiTime, checkOffline, type Fragment, Service } from "../support/service/service.js";

const WAIT_MS = 120_000;
const SECRET = "away-Secret-1";

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

it("goes on after it was killed", { timeout: WAIT_MS }, async () => {
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

it("comes back onto new disks, byte for byte, for a clean deep check", { timeout: 2 * WAIT_MS }, async () => {
  await service.stop();
  const file = directory.join("target.json");
  const { Name, Content, From, ...where } = target();
  directory.write({ "target.json": JSON.stringify(where) });
  const restored = directory.join("restored");
  // The first try ends half-way: the second one goes on.
  let left = 2;
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
    readonly nearest: string;
  }

  let id = "";
  let span: { readonly fromUs: number; readonly toUs: number };
  let before: Doors;

  const named = () => manifests().flatMap((content) => readManifest(content).segments);

  const query = ({ fromUs, toUs }: typeof span) =>
    `channelid=${id}&fromtime=${apiTime(fromUs)}&totime=${apiTime(toUs)}`;

  async function run(volume: string): Promise<void> {
    service = await Service.start({
      dataDir: directory.join("data"),
      settings: { segmentSeconds: 5, logLevel: "debug", volumes: [{ path: directory.join(volume) }] },
    });
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
    const nearest = await service.get(`/findarchive?channelid=${id}&timestamp=${apiTime(fromUs)}`);
    return {
      ...{ fragments: inside, video, exported: sha256(exported.body), site: sha256(site.body) },
      nearest: nearest.body.toString(),
    };
  }

  it("are known without a link: what is played says what is missing, and when to ask again", {
    timeout: 3 * WAIT_MS,
  }, async () => {
    await run("volume");
    const { Channels } = await service.json<{ Channels: { Id: string }[] }>("/configex?responsetype=json");
    id = Channels[0]?.Id ?? "";
    await expect.poll(() => named().length, { timeout: WAIT_MS }).toBeGreaterThanOrEqual(4);
    const [first, second] = named();
    if (first === undefined || second === undefined) throw new Error("too few");
    span = { fromUs: first.fromUs + 2_000_000, toUs: second.toUs - 1_000_000 };
    before = await doors();
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

  it("come through every door as if they were here", { timeout: WAIT_MS }, async () => {
    store.fault = () => undefined;
    const at = `channelid=${id}&mode=archive&starttime=${apiTime(span.fromUs)}`;
    await expect.poll(async () => (await service.get(`/site?${at}`)).status, { timeout: WAIT_MS }).toBe(200);
    expect(await doors()).toEqual(before);
    const ranges = store.asked.filter(
      ({ key, headers }) => key.endsWith(".seg") && headers.range !== undefined,
    );
    expect(ranges.length).toBeGreaterThan(0);
  });

  it("are marked on the timeline", async () => {
    const time = `from=${span.fromUs / 1000}&to=${span.toUs / 1000}&steps=100`;
    const { Channels } = await service.json<TimelineAnswer>(`/api/timeline?channels=${id}&${time}`);
    const whole = [{ From: span.fromUs / 1000, To: span.toUs / 1000 }];
    expect(Channels[0]).toMatchObject({ Runs: whole, Away: whole, Gaps: [] });
  });
});

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
