import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RestoreReport } from "../../src/away/index.js";
import { readManifest } from "../../src/away/plan/manifest.js";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { BackgroundProcess, type Exit } from "../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { PROGRAM } from "../support/service/program.js";
import { checkOffline, Service } from "../support/service/service.js";

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
