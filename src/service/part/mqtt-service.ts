import { isDeepStrictEqual } from "node:util";
import type { ScenarioControl } from "../../alarm/scenario/index.js";
import { type Clock, errorText, type Guid, type Log, newGuid, STREAM_TYPES } from "../../base/index.js";
import type { UpdateState } from "../../box/update/index.js";
import type { Ptz } from "../../camera/index.js";
import { formatLiveItem, type SnapshotSource } from "../../compat/index.js";
import type { BrokerState } from "../../contract/answer/index.js";
import type { EventLog } from "../../event/index.js";
import type { HealthMonitor, MqttHealth } from "../../health/index.js";
import type { StreamDirectory } from "../../live/index.js";
import {
  type BrokerSettings,
  MqttBridge,
  type MqttRecording,
  type MqttSettings,
  tryBroker,
} from "../../mqtt/index.js";
import type { BrokerControl } from "../../owner/index.js";
import type { Stills } from "../../picture/index.js";
import { refusedViewing } from "../../player/index.js";
import type { Settings } from "../../settings/index.js";
import type { BrokerInConfiguration, SiteStore } from "../../site/index.js";
import { channelPicture } from "./channel-picture.js";
import { MqttActors } from "./mqtt-actor.js";

/** Wide enough to recognize somebody. */
const PICTURE_WIDTH = 1280;
/** A broker ends a connection whose name another one has. */
const TRIAL_ID_LENGTH = 10;
/** The smallest stream first: pictures of motion are many. */
const SMALLEST_FIRST = [...STREAM_TYPES].reverse();

export interface MqttServiceOptions {
  readonly settings: Settings;
  readonly site: SiteStore;
  readonly events: EventLog;
  readonly streams: StreamDirectory;
  readonly recording: MqttRecording;
  readonly ptz: Ptz;
  readonly scenarios: ScenarioControl;
  readonly snapshots: SnapshotSource;
  readonly stills: Stills;
  readonly monitor: HealthMonitor;
  readonly update: () => UpdateState;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the bridge is made of; the same, and it is not made again. */
interface BrokerInUse {
  readonly settings: MqttSettings;
  readonly userName: string | undefined;
}

/** The recorder at the broker that holds now: the configuration's where it says anything, else that of the settings file. */
export class MqttPart implements BrokerControl {
  readonly #options: MqttServiceOptions;
  #used: BrokerInUse | undefined;
  #bridge: MqttBridge | undefined;
  #changing: Promise<void> = Promise.resolve();
  #heard: Parameters<MqttBridge["listen"]> | undefined;
  #isRunning = false;

  constructor(options: MqttServiceOptions) {
    this.#options = options;
  }

  start(): void {
    const { site, monitor } = this.#options;
    this.#isRunning = true;
    monitor.watchMqtt(() => this.health);
    site.onChange("broker", (now, before) => {
      if (now.broker !== before.broker) this.#follow();
    });
    this.#follow();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#changing = this.#changing.then(() => this.#replace(undefined));
    await this.#changing;
  }

  /** Undefined: there is no broker. */
  get health(): MqttHealth | undefined {
    return this.#bridge?.health;
  }

  get source(): BrokerState["Source"] {
    const { site, settings } = this.#options;
    if (site.current.broker !== undefined) return "Configuration";
    return settings.mqttUrl === undefined ? "None" : "SettingsFile";
  }

  get urlOfFile(): string | undefined {
    return this.#options.settings.mqttUrl;
  }

  /** Why no messages of other topics come; undefined: they do. */
  get problem(): string | undefined {
    return this.#bridge === undefined ? "there is no MQTT broker yet" : this.#bridge.problem;
  }

  /** Of the broker of now, and of each that takes its place. */
  listen(topics: readonly string[], onMessage: (topic: string, payload: Uint8Array) => void): void {
    this.#heard = [topics, onMessage];
    this.#bridge?.listen(topics, onMessage);
  }

  /** Rejects with an Error in words where the broker does not let the recorder in. Nothing is published. */
  async try(broker: BrokerInConfiguration, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    await tryBroker({
      ...{ broker: brokerOf(broker), clock, signal },
      clientId: `nvrd-try-${newGuid().replaceAll("-", "").slice(0, TRIAL_ID_LENGTH)}`,
      topics: [`${broker.prefix}/try`],
    });
  }

  #follow(): void {
    this.#changing = this.#changing
      .then(() => (this.#isRunning ? this.#replace(this.#wanted()) : undefined))
      .catch((error: unknown) => {
        this.#options.log.error({ error: errorText(error) }, "the MQTT broker cannot be used");
      });
  }

  #wanted(): BrokerInUse | undefined {
    const { site, settings } = this.#options;
    const { broker: own } = site.current;
    if (own === undefined) {
      const ofFile = mqttSettings(settings);
      return ofFile === undefined ? undefined : { settings: ofFile, userName: settings.mqttUser };
    }
    if (!own.isEnabled) return undefined;
    const { prefix, discoveryPrefix, userName } = own;
    return {
      settings: { broker: brokerOf(own), prefix, discoveryPrefix },
      userName: userName === "" ? undefined : userName,
    };
  }

  async #replace(wanted: BrokerInUse | undefined): Promise<void> {
    if (isDeepStrictEqual(wanted, this.#used)) return;
    const before = this.#bridge;
    this.#used = undefined;
    this.#bridge = undefined;
    await before?.stop();
    if (wanted === undefined) return;
    const bridge = bridgeTo(wanted, this.#options);
    this.#used = wanted;
    this.#bridge = bridge;
    if (this.#heard !== undefined) bridge.listen(...this.#heard);
    bridge.start();
  }
}

function bridgeTo({ settings: mqtt, userName }: BrokerInUse, options: MqttServiceOptions): MqttBridge {
  const { settings, site, monitor } = options;
  const actors = new MqttActors(site, userName);
  return new MqttBridge({
    ...options,
    settings: mqtt,
    dataDir: settings.dataDir,
    figures: () => monitor.figures(),
    actor: () => actors.current,
    picture: (channelId, signal) => motionPicture(options, actors, channelId, signal),
    // Without the line break that goes before an item of /event.
    eventText: (event) => Buffer.from(formatLiveItem(event)).toString().trimStart(),
  });
}

/** The configuration's broker as it is connected to, whether it is enabled or not. */
function brokerOf({ url, authority, login, password }: BrokerInConfiguration): BrokerSettings {
  return {
    url,
    ...(authority === "" ? {} : { ca: authority }),
    ...(login === "" ? {} : { login, password }),
  };
}

function mqttSettings(settings: Settings): MqttSettings | undefined {
  const { mqttUrl: url, mqttLogin: login, mqttPrefix: prefix, mqttDiscoveryPrefix } = settings;
  if (url === undefined) return undefined;
  const { mqttPasswordFile, mqttCaFile, mqttCertificateFile, mqttKeyFile } = settings;
  return {
    broker: {
      url,
      ...(login === undefined ? {} : { login }),
      ...(mqttPasswordFile === undefined ? {} : { passwordFile: mqttPasswordFile }),
      ...(mqttCaFile === undefined ? {} : { caFile: mqttCaFile }),
      ...(mqttCertificateFile === undefined ? {} : { certificateFile: mqttCertificateFile }),
      ...(mqttKeyFile === undefined ? {} : { keyFile: mqttKeyFile }),
    },
    prefix,
    discoveryPrefix: mqttDiscoveryPrefix === "off" ? "" : mqttDiscoveryPrefix,
  };
}

/** The channel's present picture, of streams that the user may watch. Rejects with NvrdError where there is none. */
async function motionPicture(
  options: MqttServiceOptions,
  { principal }: MqttActors,
  channelId: Guid,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const streamTypes = SMALLEST_FIRST.filter((streamType) => {
    const viewing = { of: { channelId, streamType }, sound: false, archived: false };
    return principal === undefined || refusedViewing(principal, viewing) === undefined;
  });
  const size = { width: PICTURE_WIDTH };
  return (await channelPicture(options, { channelId, streamTypes, size, signal })).jpeg;
}
