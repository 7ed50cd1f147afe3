import { renameSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PATIENCE_MS } from "../support/base/patience.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import { Service } from "../support/service/service.js";

interface HddStatus {
  readonly ArchiveSizeMb: number | null;
  readonly ArchiveWriteSpeedMBps: number | null;
  readonly ArchiveDepthDays: number | null;
  readonly IsArchiveOverload: boolean | null;
  readonly ArchiveErrors: Readonly<Record<string, boolean | null>>;
}

let directory: TemporaryDirectory;
let source: PacedSource;
let service: Service | undefined;

beforeEach(async () => {
  directory = new TemporaryDirectory("hddstatus");
  source = await PacedSource.start(1, CAMERA_CLIP);
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  await source.stop();
  directory.remove();
});

async function start(): Promise<Service> {
  const volumes = [{ path: directory.join("one") }, { path: directory.join("two") }];
  // What this machine's own disks say is no matter of these tests.
  const settings = { segmentSeconds: 5, volumes, diskReport: directory.join("no-report.json") };
  const started = await Service.start({ dataDir: directory.join("data"), settings });
  service = started;
  return started;
}

async function startRecording(): Promise<Service> {
  const started = await start();
  const channelIds = await started.addCameras([{ name: "Gate", url: source.url(0) }]);
  await started.recorded(channelIds, 1_000_000);
  return started;
}

async function statusOf(running: Service): Promise<HddStatus> {
  const answer = await running.get("/hddstatus?responsetype=json");
  expect(answer.status).toBe(200);
  return JSON.parse(answer.body.toString("utf8")) as HddStatus;
}

it("a service that records tells a size that grows, its speed, and no error", {
  timeout: 3 * PATIENCE_MS,
}, async () => {
  const running = await startRecording();
  const known = { timeout: PATIENCE_MS, interval: 200 };
  await expect.poll(async () => (await statusOf(running)).ArchiveSizeMb ?? 0, known).toBeGreaterThan(0);
  const before = await statusOf(running);
  await expect
    .poll(async () => (await statusOf(running)).ArchiveSizeMb ?? 0, known)
    .toBeGreaterThan(before.ArchiveSizeMb ?? 0);
  await expect
    .poll(async () => (await statusOf(running)).ArchiveWriteSpeedMBps ?? 0, known)
    .toBeGreaterThan(0);
  await expect
    .poll(() => statusOf(running), known)
    .toMatchObject({
      IsArchiveOverload: false,
      ArchiveErrors: {
        ErrorDb: false,
        ErrorFrameSaving: false,
        ErrorAllDrives: false,
        ErrorFramesShrinked: false,
        BadSmartStatus: null,
      },
    });
});

it("a volume whose directory is gone is reported, and that it is back", {
  timeout: 3 * PATIENCE_MS,
}, async () => {
  const running = await startRecording();
  renameSync(directory.join("two"), directory.join("away"));
  const drives = async () => (await statusOf(running)).ArchiveErrors.ErrorAllDrives;
  await expect.poll(drives, { timeout: PATIENCE_MS, interval: 200 }).toBe(true);
  renameSync(directory.join("away"), directory.join("two"));
  await expect.poll(drives, { timeout: PATIENCE_MS, interval: 200 }).toBe(false);
});

it("after a restart the depth is what is recorded", { timeout: 3 * PATIENCE_MS }, async () => {
  const running = await startRecording();
  await running.stop();
  const again = await start();
  const depth = async () => (await statusOf(again)).ArchiveDepthDays ?? 0;
  await expect.poll(depth, { timeout: PATIENCE_MS, interval: 200 }).toBeGreaterThan(0);
  expect(await depth()).toBeLessThan(1);
});

it("frames that no volume takes are reported", { timeout: 3 * PATIENCE_MS }, async () => {
  const running = await startRecording();
  for (const name of ["one", "two"]) renameSync(directory.join(name), directory.join(`${name}-away`));
  const lost = async () => (await statusOf(running)).ArchiveErrors;
  await expect
    .poll(lost, { timeout: PATIENCE_MS, interval: 200 })
    .toMatchObject({ ErrorAllDrives: true, ErrorFrameSaving: true });
});
