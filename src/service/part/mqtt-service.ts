import { type Clock, type Guid, type Log, STREAM_TYPES } from "../../base/index.js";
import type { Ptz } from "../../camera/index.js";
import { formatLiveItem, type SnapshotSource } from "../../compat/index.js";
import type { EventLog } from "../../event/index.js";
import type { HealthMonitor } from "../../health/index.js";
import type { StreamDirectory } from "../../live/index.js";
import { MqttBridge, type MqttRecording, type MqttSettings } from "../../mqtt/index.js";
import type { Stills } from "../../picture/index.js";
import { refusedViewing } from "../../player/index.js";
import type { ScenarioControl } from "../../scenario/index.js";
import type { Settings } from "../../settings/index.js";
import type { SiteStore } from "../../site/index.js";
import type { UpdateState } from "../../update/index.js";
import { channelPicture } from "./channel-picture.js";
import { MqttActors } from "./mqtt-actor.js";

/** Wide enough to recognize somebody. */
const PICTURE_WIDTH = 1280;
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

/** The recorder at the broker of the settings; undefined: there is none. */
export function createMqtt(options: MqttServiceOptions): MqttBridge | undefined {
  const { settings, site, monitor } = options;
  const mqtt = mqttSettings(settings);
  if (mqtt === undefined) return undefined;
  const actors = new MqttActors(site, settings.mqttUser);
  const bridge = new MqttBridge({
    ...options,
    settings: mqtt,
    dataDir: settings.dataDir,
    figures: () => monitor.figures(),
    actor: () => actors.current,
    picture: (channelId, signal) => motionPicture(options, actors, channelId, signal),
    // Without the line break that goes before an item of /event.
    eventText: (event) => Buffer.from(formatLiveItem(event)).toString().trimStart(),
  });
  monitor.watchMqtt(() => bridge.health);
  return bridge;
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
