import { type Guid, readVersion, type SeenKind } from "../base/index.js";
import type { PtzPreset } from "../camera/index.js";
import type { ZoneState } from "../recording/index.js";
import type { Camera, SiteStore, UserScenario } from "../site/index.js";
import {
  channelDevice,
  channelDeviceId,
  type DeviceDescription,
  discoveryPayload,
  isDiskKey,
  isPresetKey,
  isWantedSeen,
  recorderDevice,
  recorderDeviceId,
} from "./discovery.js";
import type { MqttOutbox } from "./mqtt-outbox.js";
import type { MqttTopics } from "./mqtt-topics.js";
import type { PublishedTopics } from "./published-topics.js";
import type { NamedDisk } from "./recorder-states.js";

export interface DevicesOptions {
  readonly topics: MqttTopics;
  readonly outbox: MqttOutbox;
  readonly published: PublishedTopics;
  readonly site: Pick<SiteStore, "current">;
  /** The scenarios that are buttons of the recorder. */
  readonly scenarios: () => readonly UserScenario[];
}

export interface ChannelAbilities {
  /** Whether recording may be switched by command. */
  readonly maySwitch: boolean;
  /** Of a channel; undefined while they are not known. */
  presets(channelId: Guid): readonly PtzPreset[] | undefined;
  /** What the camera is known to report. */
  seen(channelId: Guid): readonly SeenKind[];
  /** What is looked for in its zones. */
  zones(channelId: Guid): readonly ZoneState[];
}

/** The devices that are published to Home Assistant: one a camera, and the recorder. */
export class Devices {
  readonly #options: DevicesOptions;
  /** What was published of a device, without entities that are gone. */
  readonly #published = new Map<string, string>();
  #present: ReadonlySet<string> = new Set();
  readonly #version = readVersion();

  constructor(options: DevicesOptions) {
    this.#options = options;
  }

  followChannels(cameras: readonly Camera[], { maySwitch, presets, seen, zones }: ChannelAbilities): void {
    const { topics, site } = this.#options;
    const { id: serverId } = site.current.server;
    this.#present = new Set(cameras.map(({ id }) => channelDeviceId(id)));
    for (const id of this.#published.keys()) if (!this.#isPresent(id)) this.#forget(id);
    if (!topics.hasDiscovery) return;
    for (const camera of cameras) {
      const known = presets(camera.id);
      const device = channelDevice({
        topics,
        serverId,
        camera,
        presets: known ?? [],
        seen: seen(camera.id),
        zones: zones(camera.id),
        maySwitch,
      });
      // A camera reports some things for the first time when they happen.
      this.#publish(device, (key) => isWantedSeen(key, camera) || (isPresetKey(key) && known === undefined));
    }
  }

  /** @param disks Undefined while they are not known. */
  publishRecorder(disks: readonly NamedDisk[] | undefined): void {
    const { topics, site, scenarios } = this.#options;
    const { id: serverId, name } = site.current.server;
    if (!topics.hasDiscovery) return;
    const known = { disks: disks ?? [], scenarios: scenarios() };
    const device = recorderDevice({ topics, serverId, name, version: this.#version, ...known });
    this.#publish(device, (key) => isDiskKey(key) && disks === undefined);
  }

  /** Whether a topic describes a device that there is; undefined: it describes none. */
  belongs(topic: string): boolean | undefined {
    const { topics } = this.#options;
    const id = /\/device\/([^/]+)\/config$/.exec(topic)?.[1];
    if (id === undefined) return undefined;
    return topics.hasDiscovery && topic === topics.discovery(id) && this.#isPresent(id);
  }

  #isPresent(deviceId: string): boolean {
    return this.#present.has(deviceId) || deviceId === recorderDeviceId(this.#options.site.current.server.id);
  }

  #forget(deviceId: string): void {
    this.#published.delete(deviceId);
    this.#options.published.forget(deviceId);
  }

  #publish(description: DeviceDescription, isKept: (key: string) => boolean): void {
    const { topics, outbox, published } = this.#options;
    const text = JSON.stringify(description);
    if (this.#published.get(description.id) === text) return;
    this.#published.set(description.id, text);
    const gone = published.announce(description.id, description.components, isKept);
    outbox.set(topics.discovery(description.id), discoveryPayload(description, this.#version, gone));
  }
}
