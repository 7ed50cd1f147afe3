import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Findings } from "../../../src/contract/answer/index.js";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { VisionServer } from "../../support/analysis/vision-server.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { makeCertificate } from "../../support/http/certificate.js";
import { Mosquitto } from "../../support/mqtt/brokers.js";
import { Observer } from "../../support/mqtt/observer.js";
import { Service } from "../../support/service/service.js";

/** The demo's cameras show a street, in which the recorder's own detector sees motion. */

const directory = new TemporaryDirectory("analysis");
let broker: Mosquitto;
let observer: Observer;
let vision: VisionServer;
let service: Service;
let street: string;
let yard: string;
let analyserId: string;

/** A person on the left, and a car with a plate and a driver on the right, of whatever picture is sent. */
async function answerAsNeighbour(image: Buffer, path: string) {
  const { width = 0, height = 0 } = await sharp(image).metadata();
  const box = (from: number, to: number) => ({
    ...{ x_min: from * width, x_max: to * width, y_min: 0.2 * height, y_max: 0.8 * height },
  });
  if (path.endsWith("/alpr")) return [{ plate: "A 123 BC", confidence: 0.87, ...box(0.7, 0.8) }];
  if (path.endsWith("/recognize")) return [{ userid: "Idris Elba", confidence: 0.77, ...box(0.72, 0.76) }];
  return [
    { label: "person", confidence: 0.92, ...box(0.1, 0.3) },
    { label: "car", confidence: 0.81, ...box(0.6, 0.9) },
    { label: "dog", confidence: 0.66, ...box(0.4, 0.5) },
  ];
}

async function start(): Promise<void> {
  const settings = { mqttUrl: broker.url };
  service = await Service.start({ dataDir: directory.join("data"), command: "demo", settings });
}

async function findings(query: string, credentials?: { login: string; password: string }): Promise<Findings> {
  return await service.json<Findings>(
    `/api/findings?${query}`,
    credentials === undefined ? {} : { credentials },
  );
}

/** A change of a camera names its model. */
async function setCamera(id: string, change: object): Promise<void> {
  const { ConnectionSettings } = await service.json<{ ConnectionSettings: { ModelId: string } }>(
    `/configure/channels/${id}`,
  );
  const { ModelId } = ConnectionSettings;
  const body = [{ Id: id, ConnectionSettings: { ModelId }, ...change }];
  await service.json("/configure/channels", { method: "PUT", body });
}

beforeAll(async () => {
  broker = await Mosquitto.create();
  await broker.start();
  vision = await VisionServer.start();
  vision.answer =
    ({ image, path }) =>
    (response) =>
      void answerAsNeighbour(image, path).then((predictions) =>
        response.end(JSON.stringify({ success: true, predictions })),
      );
  await start();
  observer = await Observer.connect(broker.url);
  const { Channels } = await service.json<{ Channels: { Id: string; Name: string }[] }>(
    "/configex?responsetype=json",
  );
  [street = "", yard = ""] = Channels.map(({ Id }) => Id);
});

afterAll(async () => {
  await service?.stop();
  await observer?.close();
  await vision?.close();
  await broker?.stop();
  directory.remove();
});

const facesOf = async () => {
  const { Channels } = await service.json<{ Channels: { Id: string; IsFaceRecOn: boolean }[] }>(
    "/configex?responsetype=json",
  );
  return Channels.filter(({ IsFaceRecOn }) => IsFaceRecOn).map(({ Id }) => Id);
};

it("without an analyser nothing is claimed, and with one that finds faces it is", async () => {
  const analyze = { FaceDetectorEnabled: true, InteractiveSearchEnabled: true, MotionDetectorEnabled: true };
  await setCamera(street, { AnalyzeSettings: analyze });
  expect(await facesOf()).toEqual([]);
  const own = { Url: vision.url, ApiKey: "secret-key-7", Plates: true, Faces: true, ChannelIds: [street] };
  const { CreatedObjectsIds } = await service.json<{ CreatedObjectsIds: string[] }>("/configure/analysers", {
    method: "POST",
    body: [{ Name: "Workshop", Kind: "Vision", Vision: { ...own, AllChannels: false, RepeatSeconds: 1 } }],
  });
  analyserId = CreatedObjectsIds[0] ?? "";
  expect(await facesOf()).toEqual([street]);
});

it("motion sends a picture, and what was found can be searched for and seen", async () => {
  await expect
    .poll(async () => (await findings("sources=analyser&limit=200")).Findings.length, {
      timeout: PATIENCE_MS,
      interval: 250,
    })
    .toBeGreaterThanOrEqual(5);
  const { Findings } = await findings(`channelids=${street}&sources=analyser&limit=200`);
  expect(new Set(Findings.map(({ Kind }) => Kind))).toEqual(
    new Set(["person", "vehicle", "animal", "plate", "face"]),
  );
  expect(vision.requests[0]?.fields.get("api_key")).toBe("secret-key-7");
  const plate = Findings.find(({ Kind }) => Kind === "plate");
  expect(plate).toMatchObject({ Source: "analyser", SourceName: "Workshop", Number: "A123BC" });
  expect(plate?.Score).toBeCloseTo(0.87);
  const pictureOf = () => service.get(`/api/findings/${plate?.Id}/picture?size=200`);
  // It is found before it is recorded.
  await expect.poll(async () => (await pictureOf()).status, { timeout: PATIENCE_MS }).toBe(200);
  const picture = await pictureOf();
  expect(picture.headers["content-type"]).toBe("image/jpeg");
  const { width = 0, height = 0 } = await sharp(picture.body).metadata();
  expect(Math.max(width, height)).toBeLessThanOrEqual(200);
});

it("a finding starts a scenario by the type of its event", async () => {
  const scenario = {
    ...{ Name: "Somebody is there", ChannelIds: [street], Actions: [{ Type: "Event", Text: "look" }] },
    Starts: [
      { Type: "Event", EventTypeIds: [EVENT_TYPES.vehicleDetected.id, EVENT_TYPES.personDetected.id] },
    ],
  };
  await service.json("/configure/userscenarios", { method: "POST", body: [scenario] });
  // Whatever stands there is reported again by another analyser.
  const Vision = { Url: vision.url, ChannelIds: [street], AllChannels: false, IntervalSeconds: 1 };
  const { CreatedObjectsIds } = await service.json<{ CreatedObjectsIds: string[] }>("/configure/analysers", {
    method: "POST",
    body: [{ Name: "Second", Kind: "Vision", Vision }],
  });
  const body = { eventIds: [EVENT_TYPES.scenarioEvent.id] };
  const raised = async () =>
    (await service.json<{ EventComment: string }[]>("/archive_events", { method: "POST", body })).length;
  await expect.poll(raised, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
  await service.get(`/configure/analysers/${CreatedObjectsIds[0]}`, { method: "DELETE" });
});

it("a label, a place, a plate and a time narrow the search, and pages go on from each other", async () => {
  const [person] = (await findings("sources=analyser&labels=person&limit=1")).Findings;
  expect(person).toMatchObject({ Label: "person", Name: null });
  const { Left = 0, Top = 0, Width = 0, Height = 0 } = person?.Best?.Box ?? {};
  const region = (left: number) =>
    `sources=analyser&labels=person&left=${left}&top=${Top}&width=${Width / 2}&height=${Height / 2}&limit=200`;
  expect((await findings(region(Left))).Findings.map(({ Id }) => Id)).toContain(person?.Id);
  const elsewhere = await findings(`labels=person&left=${Left + Width + 0.01}&top=0&width=0.001&height=1`);
  expect(elsewhere.Findings.map(({ Id }) => Id)).not.toContain(person?.Id);
  expect((await findings("number=23b&labels=plate")).Findings[0]?.Number).toBe("A123BC");
  expect((await findings("name=elba")).Findings[0]?.Kind).toBe("face");
  expect((await findings("endtime=2001-01-01T00:00:00Z")).Findings).toEqual([]);
  const endtime = new Date().toISOString();
  const all = (await findings(`endtime=${endtime}&limit=200`)).Findings.map(({ Id }) => Id);
  const paged: string[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page: Findings = await findings(`endtime=${endtime}&limit=2&before=${next}`);
    paged.push(...page.Findings.map(({ Id }) => Id));
    next = page.Next;
  }
  expect(paged.slice(0, 200)).toEqual(all);
});

it.each([
  ["limit=0", 400],
  ["limit=201", 400],
  ["left=0.5", 400],
  ["left=2&top=0&width=1&height=1", 400],
  ["before=x", 400],
  ["starttime=yesterday", 400],
  ["channelids=22222222-0000-4000-8000-00000000000f", 404],
])("a search with %s is %i", async (query, status) => {
  expect((await service.get(`/api/findings?${query}`)).status).toBe(status);
});

it("only channels that a user sees are searched, and their pictures shown", async () => {
  const group = {
    Name: "Yard only",
    Rights: { CanAccessUnifiedLog: true },
    ChannelsAccessOptions: { ChannelsRealtimeAllowed: [yard], ChannelsArchiveAllowed: [] },
  };
  const groups = await service.json<{ CreatedObjectsIds: string[] }>("/configure/groups", {
    method: "POST",
    body: [group],
  });
  const user = { Name: "gardener", GroupId: groups.CreatedObjectsIds[0], Password: "Garden-path-77" };
  await service.json("/configure/users", { method: "POST", body: [user] });
  const gardener = { login: "gardener", password: "Garden-path-77" };
  const [own] = (await findings(`limit=1&channelids=${street}`)).Findings;
  expect(await findings("", gardener)).toEqual({ Findings: [], Next: null, IsComplete: true });
  for (const path of [`/api/findings?channelids=${street}`, `/api/findings/${own?.Id}/picture`])
    expect((await service.get(path, { credentials: gardener })).status).toBe(404);
  for (const path of ["/api/analysers", "/configure/analysers"])
    expect((await service.get(path, { credentials: gardener })).status).toBe(403);
  expect((await service.get("/api/findings", { credentials: null })).status).toBe(401);
});

it("a test shows the picture and what came back, and nothing shows the key", async () => {
  const tested = await service.json<{ Picture: { Jpeg: string }; Results: { Problem: string | null }[] }>(
    "/api/analysers/test",
    { method: "POST", body: { Id: analyserId } },
  );
  expect((await sharp(Buffer.from(tested.Picture.Jpeg, "base64")).metadata()).format).toBe("jpeg");
  expect(tested.Results.map(({ Problem }) => Problem)).toEqual([null, null, null]);
  const texts = [JSON.stringify(tested), service.log];
  for (const path of ["/configure/analysers", "/api/analysers", "/api/configuration"])
    texts.push((await service.get(path)).body.toString());
  expect(texts.join()).not.toContain("secret-key-7");
});

it("the authority of a server is kept until an empty one is given, and is a certificate", async () => {
  const { cert } = await makeCertificate();
  const put = async (Authority: string | null) => {
    const body = [{ Id: analyserId, Vision: { Authority } }];
    return (await service.get("/configure/analysers", { method: "PUT", body })).status;
  };
  const kept = async () =>
    (await service.json<{ Vision: { Authority: string } }>(`/configure/analysers/${analyserId}`)).Vision
      .Authority;
  expect(await kept()).toBe("");
  expect(await put("no certificate")).toBe(400);
  for (const [given, then] of [
    [cert, cert],
    [null, cert],
    ["", ""],
  ] as const) {
    expect(await put(given)).toBe(200);
    expect(await kept()).toBe(then);
  }
});

it("what Frigate tells over MQTT is found too, and starts a recording", async () => {
  const analyze = { InteractiveSearchEnabled: true, MotionDetectorEnabled: false };
  await setCamera(yard, { AnalyzeSettings: analyze });
  const moves = async () =>
    (await service.json<{ IsMotion: boolean }>(`/api/channels/${yard}/motion`)).IsMotion;
  await expect.poll(moves, { timeout: PATIENCE_MS }).toBe(false);
  await setCamera(yard, { ArchiveSettings: { ArchivingMode: "MDandManual" } });
  const recordingEvents = async (eventId: string) => {
    const events = await service.json<{ EventComment: string }[]>("/archive_events", {
      method: "POST",
      body: { eventIds: [eventId], channelIds: [yard] },
    });
    return events.map(({ EventComment }) => EventComment);
  };
  // What is recorded already does not start; it goes on for some seconds after what moved.
  const stops = () => recordingEvents(EVENT_TYPES.recordingStopped.id);
  await expect.poll(stops, { timeout: PATIENCE_MS }).not.toEqual([]);
  const Cameras = [{ Name: "back_yard", ChannelId: yard, Width: 1280, Height: 720 }];
  await service.json("/configure/analysers", {
    method: "POST",
    body: [{ Name: "Frigate", Kind: "Frigate", StartsRecording: true, Frigate: { Cameras } }],
  });
  const stateOf = async () =>
    (await service.json<{ Name: string; IsFailing: boolean; Asked: number }[]>("/api/analysers")).find(
      ({ Name }) => Name === "Frigate",
    );
  await expect.poll(stateOf, { timeout: PATIENCE_MS }).toMatchObject({ IsFailing: false });
  const after = { camera: "back_yard", label: "cat", score: 0.83, top_score: 0.9, false_positive: false };
  const message = { type: "new", before: {}, after: { ...after, id: "1.2-x", box: [640, 360, 1280, 720] } };
  // The subscription may be under way still.
  await expect
    .poll(
      async () => {
        await observer.send("frigate/events", JSON.stringify(message));
        return (await stateOf())?.Asked;
      },
      { timeout: PATIENCE_MS, interval: 300 },
    )
    .toBeGreaterThan(0);
  await expect
    .poll(async () => (await findings(`channelids=${yard}&sources=analyser`)).Findings, {
      timeout: PATIENCE_MS,
    })
    .toMatchObject([
      {
        Label: "cat",
        Kind: "animal",
        Best: { Box: expect.any(Object) },
      },
    ]);
  const starts = () => recordingEvents(EVENT_TYPES.recordingStarted.id);
  await expect.poll(starts, { timeout: PATIENCE_MS }).toContain("an analyser found something");
});

it("after a restart the analysers go on, and what was found is there with its pictures", async () => {
  const often = { Id: analyserId, Vision: { IntervalSeconds: 1 } };
  await service.json("/configure/analysers", { method: "PUT", body: [often] });
  const before = await findings(`channelids=${street}&limit=5`);
  await service.stop();
  const asked = vision.requests.length;
  await start();
  const ids = (await findings(`channelids=${street}&limit=200`)).Findings.map(({ Id }) => Id);
  for (const { Id } of before.Findings) expect(ids).toContain(Id);
  const [first] = before.Findings;
  expect((await service.get(`/api/findings/${first?.Id}/picture`)).status).toBe(200);
  await expect.poll(() => vision.requests.length, { timeout: PATIENCE_MS }).toBeGreaterThan(asked);
});
