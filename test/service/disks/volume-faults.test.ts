import { mkdirSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { FaultFuse, faultFuseMissing } from "../../support/disk/fault-fuse.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { checkOffline, pause, Service } from "../../support/service/service.js";

const CAMERAS = 6;
const GOP_US = (SMALL_CLIP.gopFrames / SMALL_CLIP.fps) * 1_000_000;
/** Longest a condition is waited for on a loaded machine. */
const WAIT_MS = 60_000;
/** An answer that needs no disk comes within this, whatever a disk does: bounds against waiting for it. */
const ANSWER_MS = 8_000;

const missing = faultFuseMissing();

let directory: TemporaryDirectory;
let fuse: FaultFuse;
let source: PacedSource;
let service: Service;
let ids: string[];
let soundPath: string;

const settings = () => ({
  segmentSeconds: 5,
  volumes: [
    { path: `${fuse.mountPoint}`, mount: true },
    { path: soundPath, reserveBytes: 0 },
  ],
});

beforeAll(async () => {
  if (missing !== undefined) return;
  directory = new TemporaryDirectory("volumes-faults");
  mkdirSync(directory.join("fuse"));
  fuse = await FaultFuse.mount(directory.join("fuse"));
  soundPath = directory.join("sound");
  source = await PacedSource.start(CAMERAS, SMALL_CLIP);
  service = await Service.start({ dataDir: directory.join("data"), settings: settings() });
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) }));
  ids = await service.addCameras(cameras);
  await service.recorded(ids, 3 * GOP_US);
});

afterAll(async () => {
  fuse?.heal();
  await service?.stop();
  await source?.stop();
  await fuse?.remove();
  directory?.remove();
});

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw service.process.failure(`waited for ${what}`);
    await pause(100);
  }
}

/** Resolves when each camera has been recorded beyond this moment; each answer must come in time. */
async function recordedBeyond(timeUs: number): Promise<void> {
  for (const id of ids) {
    await until(async () => {
      const beforeMs = performance.now();
      const fragments = await service.fragments(id);
      expect(performance.now() - beforeMs).toBeLessThan(ANSWER_MS);
      return (fragments.at(-1)?.toUs ?? 0) > timeUs;
    }, `recordings of ${id} beyond ${timeUs}`);
  }
}

const count = (text: string) => service.log.split(text).length - 1;
const nowUs = () => Date.now() * 1000;

describe.skipIf(missing !== undefined)(`a service with a volume whose disk fails${notHere(missing)}`, () => {
  it("spreads its cameras over both volumes", () => {
    expect(readdirSync(`${fuse.mountPoint}/open`).length).toBeGreaterThanOrEqual(2);
    expect(readdirSync(`${soundPath}/open`).length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ["hangs in every call", { "*": "hang" }],
    ["hangs in every sync", { fsync: "hang" }],
    ["answers EIO to every call", { "*": "EIO" }],
    ["answers EIO to every write", { write: "EIO" }],
    ["is read-only", { write: "EROFS", create: "EROFS" }],
    ["has no space", { write: "ENOSPC", fallocate: "ENOSPC" }],
  ] as const)(
    "records all cameras on the other one while a disk %s, and takes it back",
    async (_, faults) => {
      await until(() => readdirSync(`${fuse.backing}/open`).length > 0, "a camera on the volume");
      const backBefore = count("volume is back");
      const lostBefore = count("volume left out");
      const viewer = await service.video(`channelid=${ids[0]}`);
      fuse.fault(faults);
      const faultUs = nowUs();
      const live = viewer.parts[Symbol.asyncIterator]();
      for (let part = 0; part < 3 * SMALL_CLIP.fps; part++) expect((await live.next()).done).not.toBe(true);
      viewer.close();
      await recordedBeyond(faultUs + 6 * GOP_US);
      const lost = !("fallocate" in faults); // a full disk is not a lost one
      if (lost) await until(() => count("volume left out") > lostBefore, "the volume to be left out");
      fuse.heal();
      if (lost) await until(() => count("volume is back") > backBefore, "the volume to be taken back");
      await recordedBeyond(nowUs() + GOP_US);
    },
  );

  it("puts nothing into the mount point when the disk is unmounted under it", async () => {
    await until(() => readdirSync(`${fuse.backing}/open`).length > 0, "a camera on the volume");
    const lostBefore = count("volume left out");
    fuse.unmountLazily();
    await until(() => count("volume left out") > lostBefore, "the volume to be left out");
    await recordedBeyond(nowUs() + 2 * GOP_US);
    expect(readdirSync(fuse.mountPoint)).toEqual([]);
  });

  it("stops, and starts again, while a disk hangs in every call", async () => {
    await service.stop();
    await fuse.remove();
    fuse = await FaultFuse.mount(directory.join("fuse"));
    service = await Service.start({ dataDir: directory.join("data"), settings: settings() });
    await until(() => readdirSync(`${fuse.backing}/open`).length > 0, "a camera on the volume");
    fuse.fault({ "*": "hang" });
    await until(() => count("volume left out") > 0, "the volume to be left out");
    service.process.signal("SIGTERM");
    await service.process.waitFor(/"stopped"/);
    const hung = service;
    service = await Service.start({ dataDir: directory.join("data"), settings: settings() });
    await recordedBeyond(nowUs() + 2 * GOP_US);
    fuse.heal();
    await hung.process.exited;
    const taken = new RegExp(`"directory":"${fuse.mountPoint}"[^\\n]*"volume taken"`);
    await until(() => taken.test(service.log), "the volume to be taken");
  });

  it("leaves an archive in which every frame is whole", async () => {
    await service.stop();
    const { exit, text } = await checkOffline(directory.join("data"), [
      "--deep",
      "--config",
      `${directory.join("data")}-settings.json`,
    ]);
    expect([exit.code, text]).toEqual([0, expect.any(String)]);
  });
});
