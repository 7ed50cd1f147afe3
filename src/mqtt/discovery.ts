import { type Guid, SEEN_KINDS, type SeenKind } from "../base/index.js";
import type { PtzPreset } from "../camera/index.js";
import { readMotionZones, type ZoneState } from "../recording/index.js";
import { type Camera, cameraOptions, isMarked, isRecordedOn, type UserScenario } from "../site/index.js";
import { type MqttTopics, plainId, zoneKey } from "./mqtt-topics.js";
import type { NamedDisk } from "./recorder-states.js";

/** An entity of a device, as Home Assistant reads it. */
export type Component = Readonly<Record<string, unknown>> & { readonly platform: string };

/** A device and its entities by key. */
export interface DeviceDescription {
  readonly id: string;
  readonly device: Readonly<Record<string, unknown>>;
  readonly components: Readonly<Record<string, Component>>;
}

/** How a kind is named at Home Assistant, and which class its sensor is of; rules and the camera's own words are events alone. */
const SEEN_SENSORS: Readonly<Partial<Record<SeenKind, readonly [name: string, deviceClass: string]>>> = {
  pir: ["Infrared sensor", "motion"],
  person: ["Person", "occupancy"],
  vehicle: ["Vehicle", "occupancy"],
  animal: ["Animal", "occupancy"],
  face: ["Face", "occupancy"],
  package: ["Package", "occupancy"],
  plate: ["License plate", "occupancy"],
  lineCrossed: ["Line crossed", "motion"],
  zoneEntered: ["Zone entered", "motion"],
  zoneLeft: ["Zone left", "motion"],
  loitering: ["Loitering", "occupancy"],
  objectLeft: ["Object left", "occupancy"],
  objectTaken: ["Object taken", "problem"],
  crowd: ["Crowd", "occupancy"],
  doorbell: ["Doorbell", "occupancy"],
  scream: ["Scream", "sound"],
  glass: ["Breaking glass", "sound"],
  soundAlarm: ["Alarm sound", "sound"],
  sound: ["Sound", "sound"],
  tampering: ["Tampering", "tamper"],
  covered: ["Covered", "tamper"],
  moved: ["Moved", "tamper"],
  defocused: ["Out of focus", "problem"],
  input: ["Input", "opening"],
  relay: ["Output", "power"],
  fire: ["Fire", "smoke"],
  smoke: ["Smoke", "smoke"],
  temperature: ["Temperature", "heat"],
  storageFailure: ["Storage", "problem"],
  refusedLogin: ["Refused login", "problem"],
};
const SEEN_KEY = "seen_";

const ZONE_KEY = "zone_";

/** Whether an entity stands for what the owner wants, though the camera may not have reported it yet. */
export function isWantedSeen(key: string, camera: Camera): boolean {
  const kind = SEEN_KINDS.find((seen) => key === `${SEEN_KEY}${seen}`);
  if (kind !== undefined) return isWanted(camera, kind);
  return SEEN_KINDS.some((inZone) =>
    zoneKeys(camera).some((zone) => key === zoneEntity(zone, inZone) && isWanted(camera, inZone)),
  );
}

/** Whether the owner wants to hear of it. */
export function isWanted(camera: Camera, kind: SeenKind): boolean {
  return isMarked(camera, kind) || isRecordedOn(camera, kind);
}

/** The keys of the zones that are drawn for a camera. */
export function zoneKeys(camera: Camera): readonly string[] {
  const json = cameraOptions(camera).analyze.motionDetector?.zonesJson ?? null;
  if (json === null) return [];
  return readMotionZones(JSON.parse(json) as unknown).zones.map(({ name }) => zoneKey(name));
}

function zoneEntity(zone: string, kind: SeenKind): string {
  return `${ZONE_KEY}${zone}_${kind}`;
}

const PRESET_KEY = "preset_";
const DISK_KEY = "disk_";

export function recorderDeviceId(serverId: Guid): string {
  return `nvrd_${plainId(serverId)}`;
}

export function channelDeviceId(channelId: Guid): string {
  return `nvrd_${plainId(channelId)}`;
}

/** Whether an entity stands for something that is asked of a device, and may not be known yet. */
export function isPresetKey(key: string): boolean {
  return key.startsWith(PRESET_KEY);
}

export function isDiskKey(key: string): boolean {
  return key.startsWith(DISK_KEY);
}

/** Makes the entities of one device. */
class Entities {
  readonly components: Record<string, Component> = {};
  readonly #deviceId: string;
  readonly #availability: readonly string[];

  constructor(deviceId: string, availability: readonly string[]) {
    this.#deviceId = deviceId;
    this.#availability = availability;
  }

  /** @param more Topics that must say `online` as well. */
  add(key: string, component: Component, more: readonly string[] = []): void {
    this.components[key] = {
      ...component,
      unique_id: `${this.#deviceId}_${key}`,
      availability: [...this.#availability, ...more].map((topic) => ({ topic })),
      availability_mode: "all",
    };
  }
}

export interface ChannelDeviceOptions {
  readonly topics: MqttTopics;
  readonly serverId: Guid;
  readonly camera: Camera;
  /** Of the camera; undefined while they are not known. */
  readonly presets: readonly PtzPreset[];
  /** What the camera can report. */
  readonly seen: readonly SeenKind[];
  /** What is looked for in its zones. */
  readonly zones: readonly ZoneState[];
  /** Whether commands are accepted for it. */
  readonly maySwitch: boolean;
}

/** A camera as a device of Home Assistant. */
export function channelDevice(options: ChannelDeviceOptions): DeviceDescription {
  const { topics, serverId, camera, presets, seen, zones, maySwitch } = options;
  const { id } = camera;
  const deviceId = channelDeviceId(id);
  const entities = new Entities(deviceId, [topics.status]);
  const online = [topics.channel(id, "status")];
  const sensor = (name: string, deviceClass: string, state: string): Component => ({
    platform: "binary_sensor",
    name,
    device_class: deviceClass,
    state_topic: topics.channel(id, state),
  });
  entities.add("motion", sensor("Motion", "motion", "motion"), online);
  for (const kind of seen) {
    const [name, deviceClass] = SEEN_SENSORS[kind] ?? [];
    if (name === undefined || deviceClass === undefined) continue;
    const state_topic = topics.seen(id, kind);
    const component = { platform: "binary_sensor", name, device_class: deviceClass, state_topic };
    entities.add(`${SEEN_KEY}${kind}`, component, online);
  }
  for (const { zone, kind } of zones) {
    const [name, deviceClass] = SEEN_SENSORS[kind] ?? [];
    if (name === undefined || deviceClass === undefined) continue;
    const state_topic = topics.inZone(id, zoneKey(zone), kind);
    const component = { platform: "binary_sensor", name: `${name}: ${zone}`, device_class: deviceClass };
    entities.add(zoneEntity(zoneKey(zone), kind), { ...component, state_topic }, online);
  }
  entities.add("connected", {
    ...sensor("Connected", "connectivity", "connected"),
    entity_category: "diagnostic",
  });
  entities.add("recording", sensor("Recording", "running", "recording"));
  entities.add("picture", {
    platform: "image",
    name: "Last motion",
    image_topic: topics.picture(id),
    content_type: "image/jpeg",
  });
  if (maySwitch)
    entities.add("switch", recordingSwitch(topics, id), [topics.channel(id, "recording", "switchable")]);
  for (const { index, name } of presets) {
    const button = {
      platform: "button",
      name: `Preset ${name === "" ? index : name}`,
      command_topic: topics.channel(id, "preset", "set"),
      payload_press: String(index),
    };
    entities.add(`${PRESET_KEY}${index}`, button, online);
  }
  const device = {
    identifiers: [deviceId],
    name: camera.name,
    manufacturer: "nvrd",
    model: "Camera",
    via_device: recorderDeviceId(serverId),
  };
  return { id: deviceId, device, components: entities.components };
}

function recordingSwitch(topics: MqttTopics, id: Guid): Component {
  return {
    platform: "switch",
    name: "Record",
    icon: "mdi:record-rec",
    state_topic: topics.channel(id, "recording", "switch"),
    command_topic: topics.channel(id, "recording", "set"),
  };
}

export interface RecorderDeviceOptions {
  readonly topics: MqttTopics;
  readonly serverId: Guid;
  readonly name: string;
  readonly version: string;
  readonly disks: readonly NamedDisk[];
  /** Those that are buttons. */
  readonly scenarios: readonly Pick<UserScenario, "id" | "name">[];
}

/** The recorder as a device of Home Assistant. */
export function recorderDevice(options: RecorderDeviceOptions): DeviceDescription {
  const { topics, serverId, name, version, disks, scenarios } = options;
  const id = recorderDeviceId(serverId);
  const entities = new Entities(id, [topics.status]);
  const state_topic = topics.recorder;
  const diagnostic = { entity_category: "diagnostic" };
  const problem = (label: string, template: string): Component => ({
    platform: "binary_sensor",
    name: label,
    device_class: "problem",
    ...diagnostic,
    state_topic,
    value_template: template,
  });
  const attributes = {
    json_attributes_topic: state_topic,
    json_attributes_template: "{{ {'problems': value_json.Problems} | tojson }}",
  };
  entities.add("problem", { ...problem("Problem", onIf("value_json.State != 'ok'")), ...attributes });
  entities.add("problems", {
    platform: "sensor",
    name: "Problems",
    icon: "mdi:alert-circle-outline",
    ...diagnostic,
    state_topic,
    value_template: "{{ value_json.ProblemCount }}",
  });
  entities.add("write_errors", problem("Write errors", onIf("value_json.WriteErrors")));
  entities.add("clock", problem("Clock", onIf("not value_json.Clock.IsKnown")));
  entities.add("archive_depth", {
    platform: "sensor",
    name: "Archive depth",
    device_class: "duration",
    unit_of_measurement: "d",
    state_class: "measurement",
    state_topic,
    value_template: "{{ value_json.DepthDays }}",
  });
  entities.add("update", {
    platform: "update",
    name: "Update",
    ...diagnostic,
    state_topic: topics.update,
  });
  for (const disk of disks) addDisk(entities, topics, disk);
  for (const scenario of scenarios)
    entities.add(`scenario_${plainId(scenario.id)}`, {
      platform: "button",
      name: scenario.name,
      icon: "mdi:script-text-play",
      command_topic: topics.scenario(scenario.id, "set"),
      payload_press: "RUN",
    });
  const device = { identifiers: [id], name, manufacturer: "nvrd", model: "Recorder", sw_version: version };
  return { id, device, components: entities.components };
}

function addDisk(entities: Entities, topics: MqttTopics, { key, disk }: NamedDisk): void {
  const state_topic = topics.disk(key);
  const name = disk.model === "" ? disk.device : disk.model;
  const entity_category = "diagnostic";
  entities.add(`${DISK_KEY}${key}_health`, {
    platform: "binary_sensor",
    name: `Disk ${name}`,
    device_class: "problem",
    entity_category,
    state_topic,
    value_template: onIf("value_json.IsFaulty"),
    json_attributes_topic: state_topic,
  });
  entities.add(`${DISK_KEY}${key}_temperature`, {
    platform: "sensor",
    name: `Disk ${name} temperature`,
    device_class: "temperature",
    unit_of_measurement: "°C",
    state_class: "measurement",
    entity_category,
    state_topic,
    value_template: "{{ value_json.TemperatureCelsius }}",
  });
}

function onIf(condition: string): string {
  return `{{ 'ON' if ${condition} else 'OFF' }}`;
}

/** The payload of a device's topic. Entities that are gone are named by their platform alone: that removes them. */
export function discoveryPayload(
  { device, components }: DeviceDescription,
  version: string,
  gone: ReadonlyMap<string, string>,
): string {
  const removed = Object.fromEntries([...gone].map(([key, platform]) => [key, { platform }]));
  return JSON.stringify({
    device,
    origin: { name: "nvrd", sw_version: version },
    components: { ...components, ...removed },
    qos: 1,
  });
}
