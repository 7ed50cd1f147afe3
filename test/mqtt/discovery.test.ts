import { expect, it } from "vitest";
import { EVENT_KINDS } from "../../src/event/index.js";
import { channelDevice, discoveryPayload, recorderDevice } from "../../src/mqtt/discovery.js";
import { MqttTopics } from "../../src/mqtt/mqtt-topics.js";
import { namedDisks } from "../../src/mqtt/recorder-states.js";
import { camera, GATE_ID, SERVER_ID } from "../support/api/api-fakes.js";
import { diskState } from "../support/health/health-figures.js";

const topics = new MqttTopics("nvrd", SERVER_ID, "homeassistant");
const gate = (presets: readonly { index: number; name: string }[], maySwitch = true) =>
  channelDevice({
    topics,
    serverId: SERVER_ID,
    camera: camera(GATE_ID, "Gate"),
    presets,
    seen: [],
    zones: [],
    maySwitch,
  });

it("a camera is a device behind the recorder, and each of its entities has its own id and says when it is there", () => {
  const { device, components } = gate([{ index: 4, name: "Door" }]);
  const scenarios = [{ id: GATE_ID, name: "Night" }];
  const recorder = recorderDevice({
    ...{ topics, serverId: SERVER_ID, name: "Box", version: "1", disks: [], scenarios },
  });
  expect(Object.values(recorder.components)).toContainEqual(
    expect.objectContaining({ platform: "button", name: "Night", payload_press: "RUN" }),
  );
  expect(device).toMatchObject({ name: "Gate", via_device: recorder.id });
  expect(Object.keys(components)).toEqual([
    "motion",
    "connected",
    "recording",
    "picture",
    "switch",
    "preset_4",
  ]);
  const all = [...Object.values(components), ...Object.values(recorder.components)];
  expect(new Set(all.map(({ unique_id }) => unique_id)).size).toBe(all.length);
  for (const { availability } of all) expect(JSON.stringify(availability)).toContain(topics.status);
});

it("what a camera can report is a sensor each, and rules and its own words are none", () => {
  const seen = ["person", "doorbell", "rule", "other"] as const;
  const { components } = channelDevice({
    ...{
      topics,
      serverId: SERVER_ID,
      camera: camera(GATE_ID, "Gate"),
      presets: [],
      zones: [],
      seen,
      maySwitch: false,
    },
  });
  const keys = Object.keys(components).filter((key) => key.startsWith("seen_"));
  expect(keys).toEqual(["seen_person", "seen_doorbell"]);
  expect(components.seen_person).toMatchObject({
    platform: "binary_sensor",
    device_class: "occupancy",
    state_topic: topics.seen(GATE_ID, "person"),
  });
});

it.each(EVENT_KINDS.filter((kind) => !["rule", "other"].includes(kind)))(
  "%s is a sensor with a name and a class of its own",
  (kind) => {
    const options = {
      topics,
      serverId: SERVER_ID,
      camera: camera(GATE_ID, "Gate"),
      ...{ presets: [], zones: [] },
      maySwitch: false,
    };
    const { components } = channelDevice({ ...options, seen: [kind] });
    expect(components[`seen_${kind}`]).toMatchObject({
      platform: "binary_sensor",
      name: expect.stringMatching(/^[A-Z]/),
      device_class: expect.stringMatching(/^[a-z_]+$/),
      state_topic: topics.seen(GATE_ID, kind),
    });
  },
);

it("who may command nothing gets no switch and no button", () => {
  expect(Object.keys(gate([], false).components)).toEqual(["motion", "connected", "recording", "picture"]);
});

it("an entity that is gone is named by its platform alone", () => {
  const payload = JSON.parse(discoveryPayload(gate([]), "1", new Map([["preset_4", "button"]])));
  expect(payload.components.preset_4).toEqual({ platform: "button" });
});

it("disks with the same serial number, or none, are distinguished by their device", () => {
  const disks = [
    diskState({ device: "/dev/sda", serial: "A 1/+#" }),
    diskState({ device: "/dev/sdb", serial: "B" }),
    diskState({ device: "/dev/sdc", serial: "B" }),
    diskState({ device: "/dev/sdd", serial: "" }),
  ];
  expect(namedDisks(disks).map(({ key }) => key)).toEqual(["A_1_", "sdb", "sdc", "sdd"]);
});

it("only the topics of commands are commands", () => {
  const of = (topic: string) => topics.commandOf(`nvrd/${SERVER_ID}/channels/${topic}`);
  expect(of(`${GATE_ID}/recording/set`)).toEqual({ id: GATE_ID, kind: "recording" });
  expect(topics.commandOf(`nvrd/${SERVER_ID}/scenarios/${GATE_ID}/set`)).toEqual({
    ...{ id: GATE_ID, kind: "scenario" },
  });
  for (const topic of [
    `${GATE_ID}/recording`,
    `${GATE_ID}/motion/set`,
    "/recording/set",
    `${GATE_ID}/preset/set/x`,
  ])
    expect(of(topic), topic).toBeUndefined();
  expect(topics.commandOf(`other/${SERVER_ID}/channels/${GATE_ID}/recording/set`)).toBeUndefined();
});

it("what is in a zone is a sensor each, under a key that no other zone has", () => {
  const zones = ["Gate", "Ворота", "Калитка", "a/b+#"].map(
    (zone) => ({ zone, kind: "person", active: false }) as const,
  );
  const { components } = channelDevice({
    ...{ topics, serverId: SERVER_ID, camera: camera(GATE_ID, "Yard"), presets: [], seen: [], zones },
    maySwitch: false,
  });
  const sensors = Object.entries(components).filter(([key]) => key.startsWith("zone_"));
  expect(sensors.map(([, { name }]) => name)).toEqual(zones.map(({ zone }) => `Person: ${zone}`));
  expect(components.zone_Gate_person).toMatchObject({
    platform: "binary_sensor",
    device_class: "occupancy",
    state_topic: topics.inZone(GATE_ID, "Gate", "person"),
  });
  const levels = sensors.map(([, { state_topic }]) => `${state_topic}`);
  expect(new Set(levels).size).toBe(zones.length);
  for (const topic of levels) expect(topic).toMatch(/^[A-Za-z0-9_/-]+$/);
});
