import { rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { CAMERA_CLIP, PacedSource } from "../../support/service/paced-source.js";
import { checkOffline, pause, Service } from "../../support/service/service.js";

const CAMERAS = 2;
const TIMEOUT_MS = 120_000;
const SETTINGS = { segmentSeconds: 5, protectedPercentMax: 60 };
const QUOTA_BYTES = 12_000_000;

let directory: TemporaryDirectory;
let source: PacedSource;
let service: Service | undefined;

interface Protected {
  readonly Id: string;
  readonly Bytes: number;
  readonly UserName: string;
}

beforeEach(async () => {
  directory = new TemporaryDirectory("protected");
  source = await PacedSource.start(CAMERAS, CAMERA_CLIP);
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  await source.stop();
  directory.remove();
});

async function start(): Promise<Service> {
  const volumes = [{ path: directory.join("volume"), quotaBytes: QUOTA_BYTES }];
  service = await Service.start({ dataDir: directory.join("data"), settings: { ...SETTINGS, volumes } });
  return service;
}

/** Start of a channel's oldest recording, once `holds` of it; throws after the timeout. */
async function oldestOnce(
  running: Service,
  id: string,
  holds: (oldestUs: number) => boolean,
): Promise<number> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const [first] = await running.fragments(id);
    if (first !== undefined && holds(first.fromUs)) return first.fromUs;
    if (performance.now() > deadline) throw running.process.failure("not within the time");
    await pause(300);
  }
}

it("protected recordings stay while the others roll, through a kill and a restart, until they are lifted", {
  timeout: 4 * TIMEOUT_MS,
}, async () => {
  let running = await start();
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) }));
  const [kept = "", other = ""] = await running.addCameras(cameras);
  await running.recorded([kept, other], 6_000_000, TIMEOUT_MS);
  const [first] = await running.fragments(kept);
  const fromUs = first?.fromUs ?? 0;
  const path = `/api/channels/${kept}/protected`;
  const FromTime = new Date(fromUs / 1000).toISOString();
  const ToTime = new Date(fromUs / 1000 + 1000).toISOString();
  const body = { FromTime, ToTime, Comment: "theft" };
  const { Id } = await running.json<Protected>(path, { method: "POST", body });
  const startUs = await oldestOnce(running, other, () => true);
  await oldestOnce(running, other, (oldestUs) => oldestUs > startUs + 10_000_000);
  expect(await oldestOnce(running, kept, () => true)).toBe(fromUs);
  await running.kill();
  running = await start();
  const secondUs = await oldestOnce(running, other, () => true);
  await oldestOnce(running, other, (oldestUs) => oldestUs > secondUs + 5_000_000);
  expect(await oldestOnce(running, kept, () => true)).toBe(fromUs);
  const listed = await running.json<Protected[]>(path);
  expect(listed).toEqual([expect.objectContaining({ Id, Comment: "theft", UserName: "root" })]);
  expect(listed[0]?.Bytes).toBeGreaterThan(100_000);
  expect(await running.json<object>(`${path}/${Id}`, { method: "DELETE" })).toEqual({ Id });
  await oldestOnce(running, kept, (oldestUs) => oldestUs > fromUs);
  await running.stop();
  const { exit, text } = await checkOffline(directory.join("data"), [
    "--config",
    `${directory.join("data")}-settings.json`,
  ]);
  expect([exit.code, text]).toEqual([0, expect.any(String)]);
});

it.each<[string, (file: string) => void]>([
  ["damaged", (file) => writeFileSync(file, "{")],
  ["deleted", (file) => rmSync(file, { force: true })],
])(
  "a list of protected times that is %s everywhere keeps everything, tells why, and deletes again once that is accepted",
  {
    timeout: 4 * TIMEOUT_MS,
  },
  async (_what, harm) => {
    let running = await start();
    const [id = ""] = await running.addCameras([{ name: "Camera", url: source.url(0) }]);
    await running.recorded([id], 4_000_000, TIMEOUT_MS);
    const fromUs = await oldestOnce(running, id, () => true);
    const [FromTime, ToTime] = [0, 1000].map((ms) => new Date(fromUs / 1000 + ms).toISOString());
    await running.json(`/api/channels/${id}/protected`, { method: "POST", body: { FromTime, ToTime } });
    await running.kill();
    for (const file of ["data/protected.json", "data/protected.json.copy", "volume/protected.json"])
      harm(directory.join(file));
    running = await start();
    const bytesOf = async () =>
      (await running.json<{ Volumes: { UsedBytes: number }[] }>("/api/health")).Volumes[0]?.UsedBytes ?? 0;
    while ((await bytesOf()) < 1.5 * QUOTA_BYTES) await pause(300);
    expect(await oldestOnce(running, id, () => true)).toBe(fromUs);
    const { Problems } = await running.json<{ Problems: { Code: string }[] }>("/api/health");
    expect(Problems.map(({ Code }) => Code)).toContain("protection-unknown");
    const refused = await running.get(`/configure/channels/${id}?archive=delete`, { method: "DELETE" });
    expect([refused.status, refused.body.toString()]).toEqual([409, expect.stringContaining("not known")]);
    await running.json("/api/protected/accept", { method: "POST" });
    await oldestOnce(running, id, (oldestUs) => oldestUs > fromUs);
  },
);

it("a volume brings what is protected on it to a recorder whose data directory is lost", {
  timeout: 4 * TIMEOUT_MS,
}, async () => {
  let running = await start();
  const [id = ""] = await running.addCameras([{ name: "Camera", url: source.url(0) }]);
  await running.recorded([id], 4_000_000, TIMEOUT_MS);
  const fromUs = await oldestOnce(running, id, () => true);
  const [FromTime, ToTime] = [0, 1000].map((ms) => new Date(fromUs / 1000 + ms).toISOString());
  const body = { FromTime, ToTime, Comment: "theft" };
  await running.json(`/api/channels/${id}/protected`, { method: "POST", body });
  await running.stop();
  rmSync(directory.join("data"), { recursive: true });
  running = await start();
  const listed = () => running.json<Protected[]>("/api/protected");
  await expect.poll(listed, { timeout: TIMEOUT_MS }).toEqual([expect.objectContaining({ Comment: "theft" })]);
});
