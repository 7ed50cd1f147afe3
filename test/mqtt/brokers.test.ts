import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultsOf, motionDetector as motionDetectorSettings } from "../../src/contract/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { type Camera, DEFAULT_CAMERA_OPTIONS, withoutCameras } from "../../src/site/index.js";
import { GATE_ID, STORE_ID, YARD_ID } from "../support/api/api-fakes.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { BASE, BridgeHarness } from "../support/mqtt/bridge-harness.js";
import { AedesBroker, type Broker, Mosquitto } from "../support/mqtt/brokers.js";
import { Observer } from "../support/mqtt/observer.js";

const GATE = `${BASE}/channels/${GATE_ID}`;
const YARD = `${BASE}/channels/${YARD_ID}`;
const GATE_DEVICE = `homeassistant/device/nvrd_${GATE_ID.replaceAll("-", "")}/config`;

interface Answer {
  readonly Id: string | null;
  readonly Ok: boolean;
  readonly Error: { readonly Code: string } | null;
}

/** What a camera keeps where these zones are drawn. */
function zonesKept(camera: Camera, names: readonly string[]): NonNullable<Camera["kept"]> {
  const corner = (X: number, Y: number) => ({ X, Y });
  const Points = [corner(0, 0), corner(1, 0), corner(1, 1)];
  const zonesJson = JSON.stringify(names.map((Name) => ({ Name, Points })));
  const motionDetector = { ...defaultsOf(motionDetectorSettings), zonesJson };
  const analyze = { ...DEFAULT_CAMERA_OPTIONS.analyze, motionDetector };
  return { ...DEFAULT_CAMERA_OPTIONS, ...camera.kept, analyze };
}

describe.each([
  ["mosquitto", () => Mosquitto.create()],
  ["aedes", () => AedesBroker.create()],
] as const)("%s", (_name, create: () => Promise<Broker>) => {
  let broker: Broker;
  let recorder: BridgeHarness;
  let observer: Observer;

  beforeEach(async () => {
    broker = await create();
    await broker.start();
    recorder = new BridgeHarness();
    observer = await Observer.connect(broker.url);
  });

  afterEach(async () => {
    await observer.close();
    await recorder.remove();
    await broker.stop();
  });

  const manualGate = () =>
    recorder.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) =>
        camera.id === GATE_ID
          ? { ...camera, archive: { ...camera.archive, archivingMode: "OnlyManual" as const } }
          : camera,
      ),
    }));

  it("keeps the states for whoever comes later, and says offline when the recorder leaves", async () => {
    recorder.recording.recorded.add(GATE_ID);
    recorder.start(broker.url);
    await observer.until(`${GATE}/recording`, (text) => text === "ON");
    await observer.until(`${BASE}/recorder`, (text) => text !== "");
    const kept = await Observer.retained(broker.url);
    expect(kept.get(`${BASE}/status`)).toBe("online");
    expect(kept.get(`${GATE}/connected`)).toBe("ON");
    expect(kept.get(`${GATE}/motion`)).toBe("OFF");
    expect(kept.get(`${YARD}/connected`)).toBe("OFF");
    expect(JSON.parse(kept.get(`${BASE}/recorder`) ?? "")).toMatchObject({ Name: "Recorder 1" });
    await recorder.stop();
    await observer.until(`${BASE}/status`, (text) => text === "offline");
  });

  it("gets motion and its picture, and the events as they happen", async () => {
    recorder.start(broker.url);
    await observer.until(`${GATE}/motion`, (text) => text === "OFF");
    const change = {
      channelId: GATE_ID,
      source: "camera",
      timeUs: recorder.clock.nowUs(),
      zone: "",
    } as const;
    recorder.recording.motion.report({ ...change, active: true });
    recorder.events.raise({ typeId: EVENT_TYPES.motionStarted.id, channelId: GATE_ID, comment: "zone 1" });
    await observer.until(`${GATE}/motion`, (text) => text === "ON");
    await observer.until(`${GATE}/motion/picture`, (text) => text !== "");
    expect(observer.messages.find(({ topic }) => topic === `${GATE}/motion/picture`)?.payload).toEqual(
      Buffer.from(recorder.picture),
    );
    await observer.until(`${BASE}/events`, (text) => text.includes("zone 1"));
    recorder.recording.motion.report({ ...change, active: false });
    await observer.until(`${GATE}/motion`, (text) => text === "OFF");
    const kept = await Observer.retained(broker.url);
    expect(kept.has(`${GATE}/motion/picture`)).toBe(true);
    expect(kept.has(`${BASE}/events`)).toBe(false);
  });

  it("tells what a camera reports, and forgets it when the owner does not want it any more", async () => {
    recorder.start(broker.url);
    await observer.until(`${GATE}/motion`, (text) => text === "OFF");
    const change = { channelId: GATE_ID, kind: "person", source: "camera", name: "Door" } as const;
    recorder.recording.seen.know(GATE_ID, "doorbell");
    recorder.recording.seen.report({ ...change, active: true });
    await observer.until(`${GATE}/seen/person`, (text) => text === "ON");
    await observer.until(`${GATE}/seen/doorbell`, (text) => text === "OFF");
    recorder.recording.seen.report({ ...change, active: false });
    await observer.until(`${GATE}/seen/person`, (text) => text === "OFF");
    const { analyze } = DEFAULT_CAMERA_OPTIONS;
    const cameraEvents = { marked: ["doorbell"], recorded: null } as const;
    await recorder.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) =>
        camera.id === GATE_ID
          ? {
              ...camera,
              kept: { ...DEFAULT_CAMERA_OPTIONS, ...camera.kept, analyze: { ...analyze, cameraEvents } },
            }
          : camera,
      ),
    }));
    await observer.until(`${GATE}/seen/person`, (text) => text === "");
    const kept = await Observer.retained(broker.url);
    expect([kept.get(`${GATE}/seen/doorbell`), kept.has(`${GATE}/seen/person`)]).toEqual(["OFF", false]);
  });

  it("tells whether somebody is in a zone, and forgets a zone that is not drawn any more", async () => {
    const draw = (names: readonly string[]): Promise<unknown> =>
      recorder.site.change((site) => ({
        ...site,
        cameras: site.cameras.map((camera) =>
          camera.id === GATE_ID ? { ...camera, kept: zonesKept(camera, names) } : camera,
        ),
      }));
    const { zones } = recorder.recording;
    await draw(["Door", "Yard"]);
    zones.know(GATE_ID, ["Door", "Yard"], ["person"]);
    recorder.start(broker.url);
    await observer.until(`${GATE}/zones/Door/person`, (text) => text === "OFF");
    zones.report(GATE_ID, { zone: "Door", kind: "person", active: true });
    await observer.until(`${GATE}/zones/Door/person`, (text) => text === "ON");
    await draw(["Yard"]);
    zones.know(GATE_ID, ["Yard"], ["person"]);
    await observer.until(`${GATE}/zones/Door/person`, (text) => text === "");
    const kept = await Observer.retained(broker.url);
    expect([kept.get(`${GATE}/zones/Yard/person`), kept.has(`${GATE}/zones/Door/person`)]).toEqual([
      "OFF",
      false,
    ]);
  });

  it("has the broker forget the picture of a camera that its user may not watch live any more", async () => {
    recorder.start(broker.url, { user: "guard" });
    await observer.until(`${GATE}/motion`, (text) => text === "OFF");
    const change = { channelId: GATE_ID, source: "camera", zone: "" } as const;
    recorder.recording.motion.report({ ...change, active: true, timeUs: recorder.clock.nowUs() });
    await observer.until(`${GATE}/motion/picture`, (text) => text !== "");
    await recorder.site.change((site) => ({
      ...site,
      groups: site.groups.map((group) =>
        group.name === "Guards" ? { ...group, realtimeChannels: [], archiveChannels: [GATE_ID] } : group,
      ),
    }));
    await observer.until(`${GATE}/motion/picture`, (text) => text === "");
    const kept = await Observer.retained(broker.url);
    expect([kept.has(`${GATE}/motion/picture`), kept.get(`${GATE}/motion`)]).toEqual([false, "ON"]);
  });

  it("passes a command on, which is carried out as the user, answered and written down", async () => {
    await manualGate();
    recorder.start(broker.url);
    await observer.until(`${GATE}/recording/switchable`, (text) => text === "online");
    await observer.send(`${GATE}/recording/set`, JSON.stringify({ Value: "ON", Id: "a1" }));
    const answer = JSON.parse(
      await observer.until(`${GATE}/recording/answer`, (text) => text !== ""),
    ) as Answer;
    expect(answer).toMatchObject({ Id: "a1", Ok: true, Error: null });
    await observer.until(`${GATE}/recording/switch`, (text) => text === "ON");
    const written = recorder.events.raised.find(({ typeId }) => typeId === EVENT_TYPES.mqttCommand.id);
    expect(written).toMatchObject({
      channelId: GATE_ID,
      comment: "recording ON",
      initiator: { type: 1, name: "root" },
    });
  });

  it("has a preset called", async () => {
    recorder.start(broker.url);
    await observer.until(`${BASE}/status`, (text) => text === "online");
    await observer.send(`${GATE}/preset/set`, "3");
    await observer.until(`${GATE}/preset/answer`, (text) => text.includes('"Ok":true'));
    expect(recorder.ptz.requests).toMatchObject([
      { channelId: GATE_ID, command: { kind: "preset", index: 3 }, user: { name: "root" } },
    ]);
  });

  it("that comes back without its memory gets all states again, each as it is now", async () => {
    recorder.start(broker.url);
    await observer.until(`${GATE}/connected`, (text) => text === "OFF");
    await broker.stop();
    recorder.recording.recorded.add(GATE_ID);
    await expect.poll(() => recorder.bridge.health.isConnected, { timeout: PATIENCE_MS }).toBe(false);
    expect(recorder.bridge.health.problem).not.toBeNull();
    observer.messages.length = 0;
    await broker.start();
    await observer.until(`${GATE}/recording`, (text) => text === "ON");
    await expect.poll(() => recorder.bridge.health.problem, { timeout: PATIENCE_MS }).toBeNull();
    const types = recorder.events.raised.map(({ typeId }) => typeId);
    expect(types).toContain(EVENT_TYPES.mqttLost.id);
    expect(types).toContain(EVENT_TYPES.mqttBack.id);
  });

  it("that has forgotten nothing forgets a camera that was deleted while the recorder was off", async () => {
    recorder.start(broker.url);
    await observer.until(GATE_DEVICE, (text) => text !== "");
    await observer.until(`${GATE}/info`, (text) => text !== "");
    await recorder.stop();
    await recorder.site.change((site) => withoutCameras(site, [GATE_ID]));
    recorder.start(broker.url);
    await observer.until(`${GATE}/info`, (text) => text === "");
    await observer.until(GATE_DEVICE, (text) => text === "");
    const kept = [...(await Observer.retained(broker.url)).keys()];
    expect(kept.filter((topic) => topic.includes(GATE_ID) || topic === GATE_DEVICE)).toEqual([]);
    expect(kept).toContain(`${YARD}/info`);
  });

  it("is told everything again when Home Assistant has started", async () => {
    recorder.start(broker.url);
    await observer.until(GATE_DEVICE, (text) => text !== "");
    await observer.until(`${YARD}/info`, (text) => text !== "");
    const before = observer.texts(GATE_DEVICE).length;
    await observer.send("homeassistant/status", "online");
    await expect.poll(() => observer.texts(GATE_DEVICE).length, { timeout: PATIENCE_MS }).toBe(before + 1);
  });

  it("carries nothing of channels that the user may not see", async () => {
    recorder.start(broker.url, { user: "guard" });
    await observer.until(`${YARD}/info`, (text) => text !== "");
    recorder.events.raise({ typeId: EVENT_TYPES.cameraLost.id, channelId: STORE_ID, comment: "secret" });
    await observer.send(`${BASE}/channels/${STORE_ID}/recording/set`, "ON");
    const text = await observer.until(
      `${BASE}/channels/${STORE_ID}/recording/answer`,
      (answer) => answer !== "",
    );
    expect(JSON.parse(text)).toMatchObject({ Ok: false, Error: { Code: "NOT_FOUND" } });
    const own = observer.messages.filter(
      ({ topic }) => !topic.includes("/set") && !topic.includes("/answer"),
    );
    expect(own.filter(({ topic, payload }) => `${topic} ${payload}`.includes("secret"))).toEqual([]);
    expect(own.filter(({ topic }) => topic.includes(STORE_ID))).toEqual([]);
  });
});
