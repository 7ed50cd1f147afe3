import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DataLock } from "../../../src/host/control/data-lock.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { filesOf } from "../../support/base/tar-files.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { RefusingCamera } from "../../support/camera/refusing-camera.js";
import { BackgroundProcess, type Exit } from "../../support/service/background-process.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { PROGRAM, PROGRAM_NODE } from "../../support/service/program.js";
import { md5, ROOT_PASSWORD, Service } from "../../support/service/service.js";

/** Every secret that the recorder was given, in every spelling that could give it away. */
const PASSWORDS = {
  root: ROOT_PASSWORD,
  camera: "camera-Secret-1 %+/",
  url: "url-Secret-2",
  user: "user-Secret-3",
  monitoring: "monitoring-Secret-4",
  service: "service-Secret-5",
  hook: "hook-Secret-6",
  hookAddress: "T00/hook-Secret-7",
};
const SPELLINGS = Object.values(PASSWORDS).flatMap((password) => [
  password,
  encodeURIComponent(password),
  md5(password),
  md5(password).toUpperCase(),
  ...[password, md5(password), `root:${md5(password)}`, `viewer:${password}`].map((text) =>
    Buffer.from(text).toString("base64"),
  ),
]);

interface Health {
  readonly Summary: string;
  readonly Cameras: {
    readonly Recording: number;
    readonly List: readonly {
      readonly Streams: readonly { readonly Frames: number; readonly Cause: string | null }[];
    }[];
  };
  readonly Archive: { readonly Findings: { readonly Lost: number; readonly IsFailing: boolean } | null };
  readonly Volumes: readonly { readonly Directory: string; readonly FreeBytes: number | null }[];
  readonly Versions: { readonly Libav: string | null };
  readonly Restarts: readonly { readonly End: string | null }[];
}

let directory: TemporaryDirectory;
let source: PacedSource;
let refusing: RefusingCamera;
let service: Service | undefined;

beforeAll(async () => {
  directory = new TemporaryDirectory("health");
  directory.write({ "service-password": PASSWORDS.service });
  source = await PacedSource.start(1, CAMERA_CLIP);
  refusing = await RefusingCamera.start();
});

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  await refusing?.stop();
  directory?.remove();
});

async function start(): Promise<Service> {
  const settings = {
    logLevel: "debug",
    segmentSeconds: 5,
    volumes: [{ path: directory.join("one") }],
    ...{ ldapUrl: "ldap://127.0.0.1:9", ldapTls: "none", ldapBaseDn: "dc=example,dc=org" },
    ...{ ldapServiceDn: "cn=reader", ldapServicePasswordFile: directory.join("service-password") },
  };
  service = await Service.start({ dataDir: directory.join("data"), settings });
  return service;
}

/** A configuration with a secret in every place that takes one. */
async function configure(running: Service): Promise<void> {
  const { UserGroup } = await running.json<{ UserGroup: { Id: string } }>("/configex?responsetype=json");
  await running.addCameras([
    { name: "Gate", url: source.url(0) },
    { name: "Yard", url: refusing.url, login: "viewer", password: PASSWORDS.camera },
    { name: "Hall", url: refusing.url.replace("rtsp://", `rtsp://viewer:${PASSWORDS.url}@`) },
  ]);
  const user = { Name: "guard", GroupId: UserGroup.Id, Password: PASSWORDS.user };
  await running.json("/configure/users", { method: "POST", body: [user] });
  const webhook = { Url: `http://127.0.0.1:9/${PASSWORDS.hookAddress}`, Secret: PASSWORDS.hook };
  const alarm = { Name: "Chat", Kind: "Webhook", Webhook: webhook };
  await running.json("/configure/alarms", { method: "POST", body: [alarm] });
  const monitoring = { Password: PASSWORDS.monitoring };
  expect((await running.get("/configure/monitoring", { method: "PUT", body: monitoring })).status).toBe(200);
}

const healthOf = (running: Service) => running.json<Health>("/api/health");

async function support(): Promise<{ exit: Exit; output: string; files: ReadonlyMap<string, string> }> {
  const out = directory.join("bundle.tar.gz");
  rmSync(out, { force: true });
  const flags = ["--data", directory.join("data"), "--config", `${directory.join("data")}-settings.json`];
  const child = new BackgroundProcess(PROGRAM_NODE, [PROGRAM, "support", "--out", out, ...flags], {
    env: { NVRD_ROOT_PASSWORD: ROOT_PASSWORD },
  });
  const exit = await child.exited;
  if (!existsSync(out)) throw child.failure("no bundle");
  expect(statSync(out).mode & 0o077).toBe(0);
  return { exit, output: child.output, files: await filesOf(readFileSync(out)) };
}

function expectNoSecret(files: ReadonlyMap<string, string>): void {
  for (const [name, text] of files)
    for (const spelling of SPELLINGS) expect(text.includes(spelling), `${spelling} in ${name}`).toBe(false);
}

const known = { timeout: PATIENCE_MS, interval: 200 };
const names = (files: ReadonlyMap<string, string>) =>
  [...files.keys()].map((name) => name.replace("nvrd-support/", ""));

it("a recorder with a camera that is recorded and one that refuses tells both, and why", {
  timeout: 3 * PATIENCE_MS,
}, async () => {
  const running = await start();
  await configure(running);
  const causes = async () => (await healthOf(running)).Cameras.List.map(({ Streams }) => Streams[0]?.Cause);
  await expect.poll(async () => (await healthOf(running)).Cameras.Recording, known).toBe(1);
  await expect.poll(causes, known).toEqual([null, "unauthorized", "unauthorized"]);
  const health = await healthOf(running);
  expect(health.Summary).toMatch(/^1 of 3 recording/);
  expect(health.Volumes).toMatchObject([{ Directory: directory.join("one"), FreeBytes: expect.any(Number) }]);
  expect(health.Archive.Findings).toMatchObject({ Lost: 0, IsFailing: false });
  expect(health.Versions.Libav).toMatch(/^\d.*libavcodec \d/);
  const frames = async () => (await healthOf(running)).Cameras.List[0]?.Streams[0]?.Frames ?? 0;
  const before = await frames();
  await expect.poll(frames, known).toBeGreaterThan(before);
});

it("the support bundle of the API has everything, and no secret", { timeout: 2 * PATIENCE_MS }, async () => {
  if (service === undefined) throw new Error("no service");
  const answer = await service.get("/api/support");
  expect(answer.status).toBe(200);
  const files = await filesOf(answer.body);
  expect(names(files)).toEqual([
    ...["README.txt", "health.json", "metrics.txt", "settings.json", "configuration.json", "restarts.json"],
    ...["crash.txt", "archive.json", "log.jsonl", "events.jsonl"],
    ...["machine.txt", "data-directory.txt", "journal.txt", "kernel.txt"],
  ]);
  expectNoSecret(files);
  const text = (name: string) => files.get(`nvrd-support/${name}`) ?? "";
  expect(text("log.jsonl")).toContain("API is listening");
  expect(text("configuration.json")).toContain("Yard");
  expect(text("metrics.txt")).toContain('nvrd_cameras{state="recording"} 1');
  expect(text("events.jsonl")).toContain("Recorder started");
  expect(JSON.parse(text("settings.json"))).toMatchObject({ segmentSeconds: 5 });
  expect(JSON.parse(text("health.json"))).toMatchObject({ cameras: { recording: 1 } });
});

it("nvrd support asks the running service", { timeout: 2 * PATIENCE_MS }, async () => {
  const { exit, files } = await support();
  expect(exit.code).toBe(0);
  expect(names(files)).toContain("log.jsonl");
  expectNoSecret(files);
});

it("a service that was killed says so after its next start", { timeout: 3 * PATIENCE_MS }, async () => {
  await service?.kill();
  const running = await start();
  const ends = (await healthOf(running)).Restarts.map(({ End }) => End);
  expect(ends).toEqual([null, "killed"]);
  await running.stop();
  const again = await start();
  expect((await healthOf(again)).Restarts.map(({ End }) => End)).toEqual([null, "stopped", "killed"]);
  await again.stop();
});

it("nvrd support needs no service, and has no secret without it either", {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const { exit, output, files } = await support();
  expect([exit.code, output]).toEqual([0, expect.stringContaining("created without the service")]);
  expectNoSecret(files);
  expect(files.get("nvrd-support/configuration.json")).toContain("Yard");
  expect(files.get("nvrd-support/events.jsonl")).toContain("Recorder started");
  expect(files.get("nvrd-support/restarts.json")).toContain("killed");
});

it("nvrd support has what can be had where a service holds the data and does not answer", {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const lock = DataLock.acquire(directory.join("data"));
  try {
    const { exit, output, files } = await support();
    expect([exit.code, output]).toEqual([0, expect.stringContaining("without configuration and events")]);
    expect(names(files)).toContain("restarts.json");
    expectNoSecret(files);
  } finally {
    lock.release();
  }
});
