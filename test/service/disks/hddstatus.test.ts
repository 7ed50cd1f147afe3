import { renameSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { Service } from "../../support/service/service.js";

interface HddStatus {
  readonly ArchiveSizeMb: number | null;
  readonly ArchiveWriteSpeedMBps: number | null;
  readonly ArchiveDepthDays: number | null;
  readonly IsArchiveOverload: boolean | null;
  readonly ArchiveErrors: Readonly<Record<string, boolean | null>>;
}

let directory: TemporaryDirectory;
let source: PacedSource;
/** One service for all tests, which go on where the one before has left it. */
let service: Service;

beforeAll(async () => {
  directory = new TemporaryDirectory("hddstatus");
  source = await PacedSource.start(1, CAMERA_CLIP);
  service = await start();
  const channelIds = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
  await service.recorded(channelIds, 1_000_000);
});

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  directory.remove();
});

function start(): Promise<Service> {
  const volumes = [{ path: directory.join("one") }, { path: directory.join("two") }];
  // What this machine's own disks say is no matter of these tests.
  const settings = { segmentSeconds: 5, volumes, diskReport: directory.join("no-report.json") };
  return Service.start({ dataDir: directory.join("data"), settings });
}

async function status(): Promise<HddStatus> {
  const answer = await service.get("/hddstatus?responsetype=json");
  expect(answer.status).toBe(200);
  return JSON.parse(answer.body.toString("utf8")) as HddStatus;
}

it("a service that records tells a size that grows, its speed, and no error", {
  timeout: 3 * PATIENCE_MS,
}, async () => {
  const known = { timeout: PATIENCE_MS, interval: 200 };
  await expect.poll(async () => (await status()).ArchiveSizeMb ?? 0, known).toBeGreaterThan(0);
  const before = await status();
  await expect
    .poll(async () => (await status()).ArchiveSizeMb ?? 0, known)
    .toBeGreaterThan(before.ArchiveSizeMb ?? 0);
  await expect.poll(async () => (await status()).ArchiveWriteSpeedMBps ?? 0, known).toBeGreaterThan(0);
  await expect
    .poll(() => status(), known)
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
  renameSync(directory.join("two"), directory.join("away"));
  const drives = async () => (await status()).ArchiveErrors.ErrorAllDrives;
  await expect.poll(drives, { timeout: PATIENCE_MS, interval: 200 }).toBe(true);
  renameSync(directory.join("away"), directory.join("two"));
  await expect.poll(drives, { timeout: PATIENCE_MS, interval: 200 }).toBe(false);
});

it("after a restart the depth is what is recorded", { timeout: 3 * PATIENCE_MS }, async () => {
  await service.stop();
  service = await start();
  const depth = async () => (await status()).ArchiveDepthDays ?? 0;
  await expect.poll(depth, { timeout: PATIENCE_MS, interval: 200 }).toBeGreaterThan(0);
  expect(await depth()).toBeLessThan(1);
});

it("frames that no volume takes are reported", { timeout: 3 * PATIENCE_MS }, async () => {
  for (const name of ["one", "two"]) renameSync(directory.join(name), directory.join(`${name}-away`));
  const lost = async () => (await status()).ArchiveErrors;
  await expect
    .poll(lost, { timeout: PATIENCE_MS, interval: 200 })
    .toMatchObject({ ErrorAllDrives: true, ErrorFrameSaving: true });
});
