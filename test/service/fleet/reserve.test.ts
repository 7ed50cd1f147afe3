import { afterAll, beforeAll, expect, it } from "vitest";
import { PacedClip, readPacedFrames } from "../../support/archive/paced-recording.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { eventsOf, nowUs, recordedBeyond, until } from "../../support/event/service-events.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, pause, Service } from "../../support/service/service.js";

/** How often the owner is killed; `npm run torture -- reserve` has more, and the times that are promised. */
const KILLS = Number(process.env.NVRD_TEST_RESERVE_KILLS ?? 1);
const IS_TORTURE = process.env.NVRD_TEST_RESERVE_KILLS !== undefined;
/** From the owner's death to the first picture that the reserve records. */
const TAKEN_WITHIN_US = IS_TORTURE ? 5_000_000 : PATIENCE_MS * 1000;
/** Below the three seconds after which a camera is taken over: a busy machine adds to it. */
const PAUSE_MS = IS_TORTURE ? 2900 : 1400;

const directory = new TemporaryDirectory("reserve");
const running = new Map<string, Service>();
const ports = new Map<string, number>();
let source: PacedSource;

let owner: Service;
let reserve: Service;
let id = "";

beforeAll(async () => {
  source = await PacedSource.start(1, SMALL_CLIP);
  owner = await started("owner");
  reserve = await started("reserve");
  const { Code } = await owner.json<{ Code: string }>("/api/fleet/partners/code", { method: "POST" });
  await reserve.json("/api/fleet/partners", { method: "POST", body: { Code } });
  const [{ SenderId: ownerId }, { SenderId: reserveId }] = [
    await configuration(owner),
    await configuration(reserve),
  ];
  [id = ""] = await owner.addCameras([
    { name: "Gate", url: source.url(0), login: "installer", password: "Camera-secret-7" },
  ]);
  const { ModelId } = (
    await owner.json<{ ConnectionSettings: { ModelId: string } }>(`/configure/channels/${id}`)
  ).ConnectionSettings;
  await owner.json(`/configure/channels/${id}`, {
    method: "PUT",
    body: { ConnectionSettings: { ModelId }, ServerBindingsSettings: { ReservedServerId: reserveId } },
  });
  await until(reserve, "the reserve to have the camera", async () =>
    (await configuration(reserve)).Channels.some((channel) => channel.Id === id),
  );
  const [channel] = (await configuration(reserve)).Channels;
  expect(channel).toMatchObject({ Id: id, AttachedToServer: ownerId, IsDisabled: true });
  expect((await reserve.get(`/configure/channels/${id}`, { method: "DELETE" })).status).toBe(409);
});
afterAll(async () => {
  for (const service of running.values()) await service.stop();
  await source?.stop();
  directory.remove();
});

async function started(name: string): Promise<Service> {
  const [partnerPort = 0] = ports.has(name) ? [ports.get(name)] : await freePorts(1);
  ports.set(name, partnerPort);
  const service = await Service.start({ dataDir: directory.join(name), settings: { partnerPort } });
  running.set(name, service);
  return service;
}

async function killed(name: string): Promise<void> {
  const service = running.get(name);
  running.delete(name);
  await service?.kill();
}

interface Configuration {
  readonly SenderId: string;
  readonly Channels: readonly {
    readonly Id: string;
    readonly AttachedToServer: string;
    readonly IsDisabled: boolean;
  }[];
}

const configuration = (service: Service): Promise<Configuration> =>
  service.json<Configuration>("/configex?responsetype=json");

const isRecordedAt = async (service: Service, id: string): Promise<boolean> => {
  const { status, body } = await service.get(`/api/channels/${id}/status`);
  return status === 200 && (JSON.parse(body.toString()) as { IsRecording: boolean }).IsRecording;
};

/** What a recorder has of a channel, from a moment on. */
async function framesOf(service: Service, id: string, fromUs: number, untilUs: number) {
  const path = `channelid=${id}&mode=archive&starttime=${apiTime(fromUs)}&speed=20`;
  return await readPacedFrames(await service.video(path), ({ clock }) => clock.sentUs > untilUs);
}

it.each([
  ["its owner", () => owner],
  ["the reserve itself", () => reserve],
])(`no camera is taken over when %s is paused for ${PAUSE_MS} ms`, async (_who, service) => {
  await recordedBeyond(owner, [id], nowUs() + 1_000_000);
  const { pid } = service().process;
  process.kill(pid, "SIGSTOP");
  await pause(PAUSE_MS);
  process.kill(pid, "SIGCONT");
  await recordedBeyond(owner, [id], nowUs() + 3_000_000);

  expect(await eventsOf(reserve, "reserveBegan")).toEqual([]);
  expect(await isRecordedAt(reserve, id)).toBe(false);
});

it("a reserve records the camera of an owner that is killed, and stops when the owner records again", {
  timeout: 180_000 * (KILLS + 1),
}, async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    await recordedBeyond(owner, [id], nowUs() + 3_000_000);
    expect(await isRecordedAt(reserve, id)).toBe(false);
    const diedUs = nowUs();
    await killed("owner");
    await expect.poll(() => isRecordedAt(reserve, id)).toBe(true);
    await recordedBeyond(reserve, [id], nowUs() + 2_000_000);
    const [first] = await framesOf(reserve, id, diedUs, nowUs() - 1_000_000);
    const picture = first?.clock;
    console.info(
      `recorded by the reserve ${((picture?.sentUs ?? 0) - diedUs) / 1e6} s after the owner's death`,
    );
    expect((picture?.sentUs ?? Number.POSITIVE_INFINITY) - diedUs).toBeLessThan(TAKEN_WITHIN_US);

    owner = await started("owner");
    await expect.poll(() => isRecordedAt(owner, id)).toBe(true);
    expect(await isRecordedAt(reserve, id)).toBe(true);
    await expect.poll(() => isRecordedAt(reserve, id)).toBe(false);
    const [after] = (await owner.fragments(id)).slice(-1);
    const [taken] = (await reserve.fragments(id)).slice(-1);
    // Nothing is missing between them: the reserve ends after the owner has begun.
    expect(taken?.toUs).toBeGreaterThan(after?.fromUs ?? Number.POSITIVE_INFINITY);

    // What the reserve recorded comes back: one break is left, from the owner's last picture to the reserve's first.
    await until(
      owner,
      "the gap to be filled",
      async () => (await eventsOf(owner, "gapFilled")).length === kill + 1,
    );
    const all = await framesOf(owner, id, diedUs - 2_000_000, nowUs() - 1_000_000);
    const [gap, ...others] = new PacedClip(source.clipFile).differencesOf(all);
    console.info(`the owner's recording: ${gap}; ${all.length} pictures`);
    expect(others).toEqual([]);
    expect(gap).toMatch(/^frame \d+ follows \d+$/);
    const lost = all.find(({ clock }, at) => at > 0 && clock.frame !== (all[at - 1]?.clock.frame ?? 0) + 1);
    expect((lost?.clock.sentUs ?? Number.POSITIVE_INFINITY) - diedUs).toBeLessThan(TAKEN_WITHIN_US);
  }
  expect(reserve.log).not.toContain("Camera-secret-7");
});
