import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Archive } from "../../../src/archive/index.js";
import type { StreamKey } from "../../../src/base/index.js";
import {
  append,
  newStreamKey,
  patternBytes,
  startArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { archiveProblems } from "../../support/archive/archive-invariants.js";

const FRAME_US = 40_000;
const GOP_FRAMES = 5;

let directory: ReturnType<typeof temporaryDirectory>;
let first: string;
let second: string;

beforeEach(() => {
  directory = temporaryDirectory();
  [first, second] = [join(directory.path, "a"), join(directory.path, "b")];
});

afterEach(() => directory.remove());

/** Records some GOPs of a stream, each a moment after the other. */
class Camera {
  readonly key: StreamKey = newStreamKey();
  readonly #archive: Archive;
  #frames = 0;
  readonly #startUs = Date.now() * 1000;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  get frames(): number {
    return this.#frames;
  }

  record(gops: number): void {
    for (let frame = 0; frame < gops * GOP_FRAMES; frame++, this.#frames++) {
      const decodeTimeUs = this.#startUs + this.#frames * FRAME_US;
      const bytes = patternBytes(3000, this.#frames);
      append(this.#archive.writer(this.key), { decodeTimeUs, bytes, key: this.#frames % GOP_FRAMES === 0 });
    }
  }

  get directory(): string | undefined {
    const { streams, volumes } = this.#archive.overload();
    const volumeId = streams[0]?.volumeId;
    return volumes.find((volume) => volume.volumeId === volumeId)?.directory;
  }
}

it("a disk that comes after the start is recorded onto", async () => {
  const { archive } = await startArchive(directory.path, { volumes: [{ path: first }] });
  await archive.addVolume({ path: second });
  expect(archive.volumeAccess().map((volume) => volume.directory)).toEqual([first, second]);
  expect(existsSync(join(second, "volume.json"))).toBe(true);
  await archive.addVolume({ path: second });
  expect(archive.overload().volumes).toHaveLength(2);
  await archive.stop();
});

it("a directory that is to be a mount point and is none is left out, and taken when it is one of this recorder", async () => {
  const { archive } = await startArchive(directory.path, { volumes: [{ path: first }] });
  mkdirSync(second);
  await archive.addVolume({ path: second, mount: true });
  expect(archive.absentVolumes()).toEqual([
    { directory: second, reason: expect.stringContaining("no mount point") },
  ]);
  await archive.stop();
});

it("a retired volume loses its streams without a frame, keeps what it holds, and gets no more", async () => {
  const { archive, index } = await startArchive(directory.path, {
    volumes: [{ path: first }, { path: second }],
  });
  const camera = new Camera(archive);
  camera.record(2);
  const from = camera.directory ?? "";
  const to = from === first ? second : first;
  await archive.retireVolume(from, true);
  await until(() => {
    camera.record(1);
    return camera.directory === to;
  }, "the stream to move");
  camera.record(3);
  for (let count = 0; count < 5; count++) {
    const other = new Camera(archive);
    other.record(1);
    await until(() => archive.overload().streams.every(({ volumeId }) => volumeId !== undefined), "a volume");
  }
  const retired = archive.volumeAccess().find((volume) => volume.directory === from);
  expect(archive.isRetired(retired?.id ?? "")).toBe(true);
  await until(() => (retired?.writer?.streams ?? 1) === 0, "all streams to leave");
  await archive.stop();
  const summaries = [...index.committed.values()];
  const ofCamera = summaries.filter(({ key }) => key.channelId === camera.key.channelId);
  expect(ofCamera.reduce((sum, { videoFrames }) => sum + videoFrames, 0)).toBe(camera.frames);
  expect(archiveProblems({ volumePaths: [first, second], summaries })).toEqual([]);
});

it("stays retired over a restart, and is recorded onto again when it is called back", async () => {
  const volumes = [{ path: first }, { path: second }];
  const before = await startArchive(directory.path, { volumes });
  await before.archive.retireVolume(first, true);
  const sinceUs = before.archive.retiredSinceUs(first);
  await before.archive.stop();
  const { archive } = await startArchive(directory.path, { volumes });
  expect(sinceUs).toBeGreaterThan(0);
  expect([archive.retiredSinceUs(first), archive.retiredSinceUs(second)]).toEqual([sinceUs, undefined]);
  const camera = new Camera(archive);
  camera.record(1);
  await until(() => camera.directory !== undefined, "a volume");
  expect(camera.directory).toBe(second);
  await archive.retireVolume(first, false);
  await archive.retireVolume(second, true);
  await until(() => {
    camera.record(1);
    return camera.directory === first;
  }, "the stream to come back");
  await archive.stop();
});

it("the last volume that can be recorded onto cannot be retired", async () => {
  const { archive } = await startArchive(directory.path, { volumes: [{ path: first }, { path: second }] });
  await archive.retireVolume(first, true);
  await expect(archive.retireVolume(second, true)).rejects.toMatchObject({ code: "CONFLICT" });
  await expect(archive.retireVolume("/nowhere", true)).rejects.toMatchObject({ code: "NOT_FOUND" });
  const camera = new Camera(archive);
  camera.record(1);
  await until(() => camera.directory === second, "a volume");
  await archive.stop();
});

it("a retired volume that is given up at once waits for the key frames with which its streams leave", async () => {
  const volumes = [{ path: first }, { path: second }];
  const { archive } = await startArchive(directory.path, { volumes });
  const camera = new Camera(archive);
  camera.record(1);
  await until(() => camera.directory !== undefined, "a volume");
  const left = camera.directory ?? "";
  await archive.retireVolume(left, true);
  const given = archive.forgetVolume(left);
  await until(() => {
    camera.record(1);
    return camera.directory !== left;
  }, "the stream to leave");
  expect(await given).toBeDefined();
  expect(archive.overload().volumes.map((volume) => volume.directory)).not.toContain(left);
  await archive.stop();
});

it("a volume that is given up is none any more while it lies at its path, until it is adopted", async () => {
  const volumes = [{ path: first }, { path: second }];
  const { archive } = await startArchive(directory.path, { volumes });
  const camera = new Camera(archive);
  camera.record(1);
  await until(() => camera.directory !== undefined, "a volume");
  const busy = camera.directory ?? "";
  const idle = busy === first ? second : first;
  await expect(archive.forgetVolume(busy)).rejects.toMatchObject({ code: "CONFLICT" });
  const id = archive.volumeAccess().find((volume) => volume.directory === idle)?.id;
  expect(await archive.forgetVolume(idle)).toBe(id);
  expect(archive.overload().volumes.map((volume) => volume.directory)).toEqual([busy]);
  expect(archive.knownVolumeIds()).not.toContain(id);
  expect(existsSync(join(idle, "volume.json"))).toBe(true);
  await archive.addVolume({ path: idle });
  expect(archive.overload().volumes.map((volume) => volume.directory)).toEqual([busy]);
  expect(archive.absentVolumes()).toEqual([]);
  expect(await archive.adoptVolume(idle)).toBe(id);
  await archive.stop();
});

it("a volume that is given up and was away is used again when it comes back, retired as it was", async () => {
  const volumes = [{ path: first }, { path: second }];
  const { archive } = await startArchive(directory.path, { volumes });
  await archive.retireVolume(second, true);
  const sinceUs = archive.retiredSinceUs(second);
  const id = await archive.forgetVolume(second);
  expect(archive.forgottenAt()).toEqual([second]);
  await archive.volumeLeft(second);
  await archive.stop();
  const again = await startArchive(directory.path, { volumes: [{ path: first }] });
  await again.archive.addVolume({ path: second });
  expect(again.archive.volumeIdAt(second)).toBe(id);
  expect(again.archive.absentVolumes()).toEqual([]);
  expect(again.archive.retiredSinceUs(second)).toBe(sinceUs);
  expect(again.archive.forgottenAt()).toEqual([]);
  await again.archive.stop();
});
