import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PictureCamera } from "../../support/camera/picture-camera.js";
import { apiTime, pause } from "../../support/service/service.js";
import { ServiceOfTests } from "../../support/service/service-of-tests.js";

/** What a change of cameras by the API does to the cameras and recordings of a running place.service. */

const RECORDED_US = 1_500_000;
const TIMEOUT_MS = 20_000;

/** Each test has cameras of its own; the service is that of all. */
const place = new ServiceOfTests("cameras");
const { cameras } = place;

async function startCamera(): Promise<PictureCamera> {
  const camera = await new PictureCamera({}).start(0);
  cameras.push(camera);
  return camera;
}

/** Cameras that are being recorded, each with its channel. */
async function recorded(count: number): Promise<{ camera: PictureCamera; id: string }[]> {
  const started = await Promise.all(Array.from({ length: count }, startCamera));
  const ids = await place.service.addCameras(
    started.map((camera, at) => ({ name: `Camera ${at}`, url: camera.server.url, isWatched: true })),
  );
  await place.service.recorded(ids, RECORDED_US);
  return started.map((camera, at) => ({ camera, id: ids[at] ?? "" }));
}

interface CameraObject {
  readonly Id: string;
  readonly ConnectionSettings: { readonly ModelId: string };
}

async function put(id: string, members: object, connection: object = {}): Promise<void> {
  const { ConnectionSettings } = await place.service.json<CameraObject>(`/configure/channels/${id}`);
  const { ModelId } = ConnectionSettings;
  await place.service.json("/configure/channels", {
    method: "PUT",
    body: [{ Id: id, ...members, ConnectionSettings: { ModelId, ...connection } }],
  });
}

/** Resolves when `holds`; rejects naming `what` otherwise. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw place.service.process.failure(`not in time: ${what}`);
    await pause(50);
  }
}

/** The connections that a camera has been asked for so far. */
function connections({ server }: PictureCamera): number {
  return new Set(server.requests.map(({ connection }) => connection)).size;
}

const endUs = async (id: string): Promise<number> => (await place.service.fragments(id)).at(-1)?.toUs ?? 0;

/** Resolves when the channel has recorded for another while. */
async function recordsOn(id: string): Promise<void> {
  const startUs = await endUs(id);
  await until(`${id} records on`, async () => (await endUs(id)) > startUs + RECORDED_US);
}

function segmentFiles(id: string): string[] {
  return readdirSync(place.directory.join("volume"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.includes(id) && name.endsWith(".seg"),
  );
}

describe("PUT", () => {
  it("of what does not concern its streams leaves the camera connected and its fragment whole", async () => {
    const [one] = await recorded(1);
    if (one === undefined) throw new Error("no camera");
    await put(
      one.id,
      {
        Name: "New name",
        Description: "new",
        MapSettings: { Latitude: 1, Longitude: 2 },
        ArchiveSettings: { ArchivingMaxDeepnessInDays: 3, PreMotionDetectionRecSecs: 2 },
      },
      { PtzEnabled: true, SoundVolume: 7, MainStreamRotationMode: "By180Degree" },
    );
    await recordsOn(one.id);
    expect(connections(one.camera)).toBe(1);
    expect(await place.service.fragments(one.id)).toHaveLength(1);
  });

  it("of an address reconnects that camera, to the new address, and no other", async () => {
    const [one, other] = await recorded(2);
    if (one === undefined || other === undefined) throw new Error("no cameras");
    const moved = await startCamera();
    await put(one.id, {}, { Hostname: moved.server.url });
    await until("the new address is asked", () => connections(moved) === 1);
    await until("the old one is left", () => one.camera.server.sockets.length === 0);
    await recordsOn(one.id);
    await recordsOn(other.id);
    expect([connections(one.camera), connections(other.camera)]).toEqual([1, 1]);
    expect(await place.service.fragments(other.id)).toHaveLength(1);
    expect((await place.service.fragments(one.id)).length).toBeGreaterThan(1);
  });

  it("of Disabled and ArchivingDisabled ends and begins recording, of that camera alone", async () => {
    const [one, other] = await recorded(2);
    if (one === undefined || other === undefined) throw new Error("no cameras");
    await put(one.id, { Disabled: true });
    await until("the camera is left", () => one.camera.server.sockets.length === 0);
    await put(one.id, { Disabled: false, ArchiveSettings: { ArchivingDisabled: true } });
    const stillUs = await endUs(one.id);
    await recordsOn(other.id);
    expect(await endUs(one.id)).toBe(stillUs);
    await put(one.id, { ArchiveSettings: { ArchivingDisabled: false } });
    await recordsOn(one.id);
    expect(connections(other.camera)).toBe(1);
    expect(await place.service.fragments(other.id)).toHaveLength(1);
  });

  it("of a limited frame rate records key frames alone from then on, without a new connection", async () => {
    const [one] = await recorded(1);
    if (one === undefined) throw new Error("no camera");
    const fromUs = await endUs(one.id);
    await put(one.id, { ArchiveSettings: { LimitRecordFpsAndOnlyIndepFramesEnabled: true } });
    await recordsOn(one.id);
    await recordsOn(one.id);
    const query = `channelid=${one.id}&mode=archive&speed=20&starttime=${apiTime(fromUs + RECORDED_US)}`;
    const video = await place.service.video(query);
    const types = new Set<string>();
    let parts = 0;
    for await (const part of video.parts) {
      types.add(part.contentType);
      parts += 1;
      if (parts === 3) break;
    }
    video.close();
    expect([...types]).toEqual(["video, h264, I-frame"]);
    expect(connections(one.camera)).toBe(1);
    expect(await place.service.fragments(one.id)).toHaveLength(1);
  });

  it("by many at once loses no change: each is one revision", async () => {
    const [one, other] = await recorded(2);
    if (one === undefined || other === undefined) throw new Error("no cameras");
    interface Configuration {
      readonly RevNum: number;
    }
    const revision = async () =>
      (await place.service.json<Configuration>("/configex?responsetype=json")).RevNum;
    const before = await revision();
    const changes = [
      { Description: "d" },
      { MapSettings: { Latitude: 1, Longitude: 2 } },
      { ArchiveSettings: { ArchivingMinDeepnessInDays: 1 } },
      { ArchiveSettings: { ArchivingMaxDeepnessInDays: 9 } },
      { ArchiveSettings: { PreMotionDetectionRecSecs: 5 } },
      { AnalyzeSettings: { MotionDetectorEnabled: false } },
    ];
    await Promise.all([one, other].flatMap(({ id }) => changes.map((members) => put(id, members))));
    expect(await revision()).toBe(before + 2 * changes.length);
    for (const { id, camera } of [one, other]) {
      for (const members of changes) {
        expect(await place.service.json(`/configure/channels/${id}`)).toMatchObject(members);
      }
      expect(connections(camera)).toBe(1);
    }
  });

  it("is kept over a restart", async () => {
    const [one] = await recorded(1);
    if (one === undefined) throw new Error("no camera");
    await put(one.id, {
      Name: "Kept",
      MapSettings: { Latitude: 1, Longitude: 2, IsOnMap: false },
      ServerBindingsSettings: { ReservedServerId: "99999999-0000-4000-8000-000000000001" },
    });
    const before = await place.service.json("/configure/channels");
    await place.service.kill();
    await place.start();
    expect(await place.service.json("/configure/channels")).toEqual(before);
  });
});

describe("DELETE", () => {
  const remove = (id: string, query = "") =>
    place.service.json(`/configure/channels/${id}${query}`, { method: "DELETE" });

  it("ends the recording in a closed segment, which stays, and leaves the other camera alone", async () => {
    const [one, other] = await recorded(2);
    if (one === undefined || other === undefined) throw new Error("no cameras");
    await remove(one.id);
    await until("the camera is left", () => one.camera.server.sockets.length === 0);
    await until("its last segment is closed", () =>
      segmentFiles(one.id).some((name) => name.startsWith("streams/")),
    );
    expect((await place.service.get(`/archivefragments?channelid=${one.id}`)).status).toBeGreaterThanOrEqual(
      400,
    );
    await recordsOn(other.id);
    expect(connections(other.camera)).toBe(1);
    expect(await place.service.fragments(other.id)).toHaveLength(1);
    expect(segmentFiles(one.id).length).toBeGreaterThan(0);
    // The recordings of a channel that is gone can still be removed, once.
    await remove(one.id, "?archive=delete");
    await until("its files are gone", () => segmentFiles(one.id).length === 0);
    expect(
      (await place.service.get(`/configure/channels/${one.id}?archive=delete`, { method: "DELETE" })).status,
    ).toBe(404);
  });

  it("with archive=delete removes the files, even when the power fails at once", async () => {
    const [one, other] = await recorded(2);
    if (one === undefined || other === undefined) throw new Error("no cameras");
    await until("a segment is closed", () => segmentFiles(one.id).length > 0);
    await remove(one.id, "?archive=delete");
    await place.service.kill();
    await place.start();
    await until("its files are gone", () => segmentFiles(one.id).length === 0);
    expect(await place.service.fragments(other.id)).not.toHaveLength(0);
    await until("the other camera's files stay", () => segmentFiles(other.id).length > 0);
    // For a moment the one before, too: it leaves when the index knows it.
    const open = () => readdirSync(place.directory.join("volume", "open"));
    await until("nothing else is left open", () => open().length <= 1);
  });
});
