import { createHash } from "node:crypto";
import type { Guid, SeenKind } from "../base/index.js";

const ZONE_SUM_LENGTH = 8;

/** A topic of a channel or of a scenario that takes commands. */
export type CommandKind = "recording" | "preset" | "scenario";

export interface CommandTopic {
  /** Of the channel or the scenario, as it stands in the topic. */
  readonly id: string;
  readonly kind: CommandKind;
}

/** A level of a topic that is made of a name from outside: without the signs that MQTT gives a meaning. */
export function topicLevel(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64);
}

/** A zone's name as a level of a topic. One that has other signs gets a sum, so that no two zones share a level. */
export function zoneKey(name: string): string {
  const level = topicLevel(name);
  if (level === name) return name;
  return `${level}_${createHash("sha256").update(name).digest("hex").slice(0, ZONE_SUM_LENGTH)}`;
}

/** A GUID as part of a name in Home Assistant, which allows no dashes everywhere. */
export function plainId(id: Guid): string {
  return id.replaceAll("-", "");
}

/** The names of all topics of one recorder; docs/ref/mqtt.md lists them. */
export class MqttTopics {
  /** The prefix and the recorder's id, so that recorders share a broker without settings. */
  readonly base: string;
  readonly #discovery: string;

  constructor(prefix: string, serverId: Guid, discovery: string) {
    this.base = `${prefix}/${serverId}`;
    this.#discovery = discovery;
  }

  /** `online`, or `offline` by the last will. */
  get status(): string {
    return `${this.base}/status`;
  }

  get recorder(): string {
    return `${this.base}/recorder`;
  }

  get update(): string {
    return `${this.base}/update`;
  }

  get events(): string {
    return `${this.base}/events`;
  }

  disk(key: string): string {
    return `${this.base}/disks/${key}`;
  }

  get disks(): string {
    return `${this.base}/disks/`;
  }

  channel(id: Guid, ...levels: string[]): string {
    return [this.base, "channels", id, ...levels].join("/");
  }

  picture(id: Guid): string {
    return this.channel(id, "motion", "picture");
  }

  /** Whether what the camera reports is so. */
  seen(id: Guid, kind: SeenKind): string {
    return this.channel(id, "seen", kind);
  }

  /** Whether something of a kind is in a zone, by the zone's key. */
  inZone(id: Guid, zone: string, kind: SeenKind): string {
    return this.channel(id, "zones", zone, kind);
  }

  /** Where the answers to the commands of a topic come. */
  answer(id: string, kind: CommandKind): string {
    return kind === "scenario" ? this.scenario(id, "answer") : this.channel(id, kind, "answer");
  }

  scenario(id: Guid, level: "set" | "answer"): string {
    return `${this.base}/scenarios/${id}/${level}`;
  }

  /** The subscriptions: commands, and Home Assistant's own status. */
  get subscriptions(): readonly string[] {
    const commands = ["channels/+/recording", "channels/+/preset", "scenarios/+"].map(
      (topic) => `${this.base}/${topic}/set`,
    );
    return this.#discovery === "" ? commands : [...commands, this.homeAssistant];
  }

  /** Where Home Assistant says that it has started. */
  get homeAssistant(): string {
    return `${this.#discovery}/status`;
  }

  get hasDiscovery(): boolean {
    return this.#discovery !== "";
  }

  /** The description of a device for Home Assistant. */
  discovery(deviceId: string): string {
    return `${this.#discovery}/device/${deviceId}/config`;
  }

  /** The command that a topic is for; undefined: none. */
  commandOf(topic: string): CommandTopic | undefined {
    if (!topic.startsWith(`${this.base}/`)) return undefined;
    const levels = topic.slice(this.base.length + 1).split("/");
    if (levels.pop() !== "set") return undefined;
    const [group, id = "", kind, ...more] = levels;
    if (id === "" || more.length > 0) return undefined;
    if (group === "scenarios" && kind === undefined) return { id, kind: "scenario" };
    const isOfChannel = group === "channels" && (kind === "recording" || kind === "preset");
    return isOfChannel ? { id, kind } : undefined;
  }
}
