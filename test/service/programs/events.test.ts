import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { type ReadItem, readLiveItems } from "../../support/api/event-items.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { pause, Service } from "../../support/service/service.js";

interface Found {
  readonly EventId: string;
  readonly EventComment: string;
  readonly ChannelName: string;
}

/** How long an event may take on this machine, however busy. */
const EVENT_WITHIN_MS = 30_000;

let directory: TemporaryDirectory;
let service: Service;

beforeAll(async () => {
  directory = new TemporaryDirectory("events");
  service = await Service.start({ dataDir: directory.join("data") });
});

afterAll(async () => {
  await service?.stop();
  directory?.remove();
});

async function search(body: object): Promise<Found[]> {
  return await service.json<Found[]>("/archive_events", { method: "POST", body });
}

async function found(typeId: string, count = 1): Promise<Found[]> {
  const deadline = Date.now() + EVENT_WITHIN_MS;
  for (;;) {
    const events = await search({ eventIds: [typeId] });
    if (events.length >= count) return events;
    if (Date.now() > deadline) throw new Error(`no event ${typeId} within ${EVENT_WITHIN_MS} ms`);
    await pause(200);
  }
}

describe("the service", () => {
  it("reports its start, a lost camera, recording, logins and changes, and keeps them", async () => {
    const stream = await service.open("/event");
    let body = Buffer.alloc(0);
    stream.on("data", (chunk: Buffer) => {
      body = Buffer.concat([body, chunk]);
    });
    const source = await PacedSource.start(1, SMALL_CLIP);
    await service.addCameras([{ name: "Gate", url: source.url(0) }]);
    const [started] = await found(EVENT_TYPES.recordingStarted.id);
    expect(started?.ChannelName).toBe("Gate");
    await source.stop();
    const [lost] = await found(EVENT_TYPES.cameraLost.id);
    expect(lost?.EventComment).toMatch(/^Main: ./);
    const [stopped] = await found(EVENT_TYPES.recordingStopped.id);
    expect(stopped?.EventComment).toBe("the camera sends nothing");
    const [changed] = await found(EVENT_TYPES.configurationChanged.id);
    expect(changed?.EventComment).toMatch(/^revision \d+: /);
    const [login] = await found(EVENT_TYPES.login.id);
    expect(login?.EventComment).toBe("root from 127.0.0.1");
    const wrong = await service.open("/event?login=root&password=00000000000000000000000000000000", {
      credentials: null,
    });
    wrong.resume();
    expect(wrong.statusCode).toBe(401);
    const [failed] = await found(EVENT_TYPES.loginFailed.id);
    expect(failed?.EventComment).toMatch(/^root from 127\.0\.0\.1/);
    stream.destroy();
    const live = readLiveItems(body).map((item: ReadItem) => item.value("EventId"));
    for (const type of [EVENT_TYPES.recordingStarted, EVENT_TYPES.cameraLost, EVENT_TYPES.loginFailed])
      expect(live).toContain(type.id);
    const earliestToLatest = "starttime=01.01.0001+00:00:00&endtime=31.12.9999+23:59:59";
    const exported = await service.get(`/specialarchiveevents?${earliestToLatest}`);
    expect(exported.body.toString("utf8").split("}{").length).toBeGreaterThanOrEqual(6);
    await service.stop();
    service = await Service.start({ dataDir: directory.join("data") });
    const [firstStart] = await found(EVENT_TYPES.serviceStarted.id, 2);
    expect(firstStart?.EventComment).not.toBe("");
    expect(
      await search({ eventIds: [EVENT_TYPES.cameraLost.id, EVENT_TYPES.serviceStopped.id] }),
    ).toHaveLength(2);
  });
});
