import { describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { PictureCamera } from "../../support/camera/picture-camera.js";
import { apiTime, pause } from "../../support/service/service.js";
import { ServiceOfTests } from "../../support/service/service-of-tests.js";

/** When the running service records cameras that speak RTSP: what the modes, users and other programs say. */

const SECOND_US = 1_000_000;
/** The pictures of the cameras come each 40 ms, a key picture each ten. */
const GOP_US = 400_000;
const MOTION_EVENT = "00000000-0000-0000-0000-000000000033";

/** Each test has cameras of its own; the service is that of all. */
const place = new ServiceOfTests("modes", { TZ: "America/New_York" });
const { cameras } = place;

/** Cameras in a mode, connected; answers their channels. */
async function add(...settings: object[]): Promise<string[]> {
  const started = await Promise.all(settings.map(() => new PictureCamera({}).start(0)));
  cameras.push(...started);
  const ids = await place.service.addCameras(
    started.map((camera, at) => ({ name: `Camera ${at}`, url: camera.server.url, archivingDisabled: true })),
  );
  for (const [at, id] of ids.entries()) await put(id, { ArchivingDisabled: false, ...settings[at] });
  for (const id of ids) await until(`${id} is connected`, async () => (await status(id)) === "Ok");
  return ids;
}

interface CameraObject {
  readonly ConnectionSettings: { readonly ModelId: string };
}

async function put(id: string, ArchiveSettings: object): Promise<void> {
  const path = `/configure/channels/${id}`;
  const { ModelId } = (await place.service.json<CameraObject>(path)).ConnectionSettings;
  await place.service.json(path, {
    method: "PUT",
    body: { ConnectionSettings: { ModelId }, ArchiveSettings },
  });
}

const status = async (id: string) =>
  (await place.service.json<{ Status: string }>(`/api/channels/${id}/status`)).Status;

interface Recording {
  readonly Recording: boolean;
  readonly IsRecordingOn: boolean;
  readonly Reason: string | null;
}

const recording = (id: string, Recording?: boolean) =>
  place.service.json<Recording>(`/api/channels/${id}/recording`, {
    ...(Recording === undefined ? {} : { method: "POST" as const, body: { Recording } }),
  });

async function isRecordingOn(id: string): Promise<boolean> {
  const answer = await place.service.get("/command?type=getchannelsstates&responsetype=json");
  const text = answer.body.toString("utf8");
  const states = JSON.parse(text.slice(text.indexOf("["))) as { Id: string; IsRecordingOn: boolean }[];
  return states.find((state) => state.Id === id)?.IsRecordingOn ?? false;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw place.service.process.failure(`not in time: ${what}`);
    await pause(50);
  }
}

describe("by hand", () => {
  it("a recording starts and stops, alone, is reported, and goes on after a restart", async () => {
    const [id = "", other = ""] = await add({ ArchivingMode: "OnlyManual" }, { ArchivingMode: "AlwaysOn" });
    expect(await place.service.fragments(id)).toEqual([]);
    const fromUs = Date.now() * 1000;
    expect(await recording(id, true)).toMatchObject({ Recording: true, Reason: "started by root" });
    await until("frames go to the disk", () => isRecordingOn(id));
    await place.service.recorded([id], 2 * SECOND_US);
    expect(await recording(id, false)).toMatchObject({ Recording: false, IsRecordingOn: false });
    const untilUs = Date.now() * 1000;
    expect(await isRecordingOn(id)).toBe(false);
    const [fragment, ...more] = await place.service.fragments(id);
    expect(more).toEqual([]);
    expect(fragment?.fromUs).toBeLessThanOrEqual(fromUs + GOP_US);
    expect(fragment?.toUs).toBeLessThanOrEqual(untilUs + GOP_US);

    // Beyond the GOP in which it ended it is another recording.
    await pause((2 * GOP_US) / 1000);
    await recording(id, true);
    await place.service.recorded([id], SECOND_US, PATIENCE_MS, untilUs);
    await place.service.kill();
    const restartedUs = Date.now() * 1000;
    await place.start();
    await place.service.recorded([id, other], SECOND_US, PATIENCE_MS, restartedUs);
    expect(await recording(id)).toMatchObject({ Recording: true, Reason: "started by root" });
    const events = await place.service.json<{ Comment: string; EventDescription: string }[]>(
      "/archive_events",
      {
        method: "POST",
        body: { StartTimeUtc: apiTime(fromUs).replace("%20", " "), ChannelIds: [id] },
      },
    );
    expect(JSON.stringify(events)).toContain("Recording switched on by a user");
  });
});

describe("on motion", () => {
  it("another program's event records the seconds before it, and those after its end", async () => {
    const settings = {
      ArchivingMode: "MDandManual",
      PreMotionDetectionRecSecs: 2,
      PostMotionDetectionRecSecs: 1,
    };
    const [id = ""] = await add(settings);
    await pause(3500);
    expect(await place.service.fragments(id)).toEqual([]);
    const motionUs = Date.now() * 1000;
    await place.service.json("/api/events", {
      method: "POST",
      body: { EventId: MOTION_EVENT, ChannelId: id },
    });
    await until("motion is recorded", () => isRecordingOn(id));
    // Five seconds that an event counts, and one after them.
    const endUs = motionUs + 6 * SECOND_US - GOP_US;
    // On a busy machine no frame comes for a moment, which is not the end.
    const isAtEnd = async () => ((await place.service.fragments(id))[0]?.toUs ?? 0) >= endUs;
    await until("it is recorded to its end", isAtEnd);
    await until("it ends", async () => !(await isRecordingOn(id)));
    const [fragment, ...more] = await place.service.fragments(id);
    expect(more).toEqual([]);
    expect(fragment?.fromUs).toBeLessThanOrEqual(motionUs - 2 * SECOND_US + GOP_US);
    expect(fragment?.fromUs).toBeGreaterThanOrEqual(motionUs - 2 * SECOND_US - 2 * GOP_US);
    expect(fragment?.toUs).toBeGreaterThanOrEqual(endUs);
  });
});

describe("a change of the mode", () => {
  it("within a schedule's range goes on with the fragment, and other cameras' recordings are whole", async () => {
    const [id = "", other = ""] = await add({ ArchivingMode: "AlwaysOn" }, { ArchivingMode: "AlwaysOn" });
    await place.service.recorded([id, other], SECOND_US);
    const always = [{ From: "00:00", To: "24:00" }];
    const names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    const Schedule = Object.fromEntries(names.map((name) => [name, always]));
    await put(id, { ArchivingMode: "BySchedule", Schedule });
    await place.service.recorded([id], 3 * SECOND_US);
    await put(id, { Schedule: {} });
    await until("the schedule ends it", async () => !(await isRecordingOn(id)));
    await put(id, { ArchivingMode: "MDandManual" });
    await put(id, { ArchivingDisabled: true });
    await put(id, { ArchivingDisabled: false, ArchivingMode: "AlwaysOn" });
    await until("it records again", () => isRecordingOn(id));
    expect(await place.service.fragments(id)).toHaveLength(2);
    expect(await place.service.fragments(other)).toHaveLength(1);
    const [connections] = cameras.map(
      ({ server }) => new Set(server.requests.map(({ connection }) => connection)).size,
    );
    expect(connections).toBe(1);
  });
});

it("a camera that is lost is not being recorded", async () => {
  const [id = ""] = await add({ ArchivingMode: "AlwaysOn" });
  await until("it is recorded", () => isRecordingOn(id));
  await cameras[0]?.stop();
  await until("it is not", async () => !(await isRecordingOn(id)));
  expect(await recording(id)).toMatchObject({ Recording: true, IsRecordingOn: false });
});
