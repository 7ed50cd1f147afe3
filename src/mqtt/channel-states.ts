import type { SeenKind } from "../base/index.js";
import type { CameraHealth } from "../health/index.js";
import type { ZoneState } from "../recording/index.js";
import type { Camera } from "../site/index.js";
import { type MqttTopics, zoneKey } from "./mqtt-topics.js";

/** What is known of a channel now. */
export interface ChannelNow {
  readonly camera: Camera;
  readonly health: CameraHealth;
  readonly hasMotion: boolean;
  /** What its camera can report, and whether it is so. */
  readonly seen: ReadonlyMap<SeenKind, boolean>;
  /** What the recorder looks for in its zones, and whether it is there. */
  readonly zones: readonly ZoneState[];
  /** A user has switched the recording on. */
  readonly isSwitchedOn: boolean;
  /** The mode has a part that users switch. */
  readonly isSwitchable: boolean;
}

/** The states of a channel by topic. */
export function channelStates(topics: MqttTopics, now: ChannelNow): ReadonlyMap<string, string> {
  const { camera, health, hasMotion, seen, zones, isSwitchedOn, isSwitchable } = now;
  const { id, name, archive } = camera;
  const info = {
    Id: id,
    Name: name,
    IsDisabled: camera.disabled,
    IsConnected: health.isConnected,
    IsRecording: health.isRecording,
    MustRecord: health.mustRecord,
    HasMotion: hasMotion,
    Seen: [...seen].filter(([, isSo]) => isSo).map(([kind]) => kind),
    ArchivingMode: archive.archivingMode,
    SwitchedOn: isSwitchedOn,
  };
  return new Map([
    [topics.channel(id, "info"), JSON.stringify(info)],
    [topics.channel(id, "status"), health.isConnected ? "online" : "offline"],
    [topics.channel(id, "connected"), onOff(health.isConnected)],
    [topics.channel(id, "motion"), onOff(hasMotion)],
    [topics.channel(id, "recording"), onOff(health.isRecording)],
    [topics.channel(id, "recording", "switch"), onOff(isSwitchedOn)],
    [topics.channel(id, "recording", "switchable"), isSwitchable ? "online" : "offline"],
    ...[...seen].map(([kind, isSo]) => [topics.seen(id, kind), onOff(isSo)] as const),
    ...zones.map(
      ({ zone, kind, active }) => [topics.inZone(id, zoneKey(zone), kind), onOff(active)] as const,
    ),
  ]);
}

function onOff(isOn: boolean): string {
  return isOn ? "ON" : "OFF";
}
