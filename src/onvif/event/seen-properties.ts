import type { Guid, SeenKind } from "../../base/index.js";
import { TOKENS } from "../media/profiles.js";
import type { PropertyMessage } from "./property-message.js";

/** What a kind is to clients. */
export interface SeenTopic {
  readonly kind: SeenKind;
  readonly topic: string;
  /** The name of the state. */
  readonly item: string;
}

/**
 * Topics by which clients know these kinds: those of the ONVIF specifications, and where these have none, those of makers that
 * clients know best. Motion and inputs have ways of their own; rules and the camera's own words have no topic.
 */
export const SEEN_TOPICS: readonly SeenTopic[] = [
  { kind: "person", topic: "RuleEngine/MyRuleDetector/PeopleDetect", item: "State" },
  { kind: "vehicle", topic: "RuleEngine/MyRuleDetector/VehicleDetect", item: "State" },
  { kind: "animal", topic: "RuleEngine/MyRuleDetector/DogCatDetect", item: "State" },
  { kind: "face", topic: "RuleEngine/MyRuleDetector/FaceDetect", item: "State" },
  { kind: "package", topic: "RuleEngine/MyRuleDetector/Package", item: "State" },
  { kind: "doorbell", topic: "RuleEngine/MyRuleDetector/Visitor", item: "State" },
  { kind: "plate", topic: "RuleEngine/Recognition/LicensePlate", item: "State" },
  { kind: "lineCrossed", topic: "RuleEngine/LineCrossDetector/LineCross", item: "IsLineCross" },
  { kind: "zoneEntered", topic: "RuleEngine/FieldDetector/ObjectsInside", item: "IsInside" },
  { kind: "zoneLeft", topic: "RuleEngine/FieldDetector/Exited", item: "State" },
  { kind: "loitering", topic: "RuleEngine/LoiteringDetector/ObjectIsLoitering", item: "State" },
  { kind: "objectLeft", topic: "RuleEngine/ObjectDetector/Unattended", item: "State" },
  { kind: "objectTaken", topic: "RuleEngine/ObjectDetector/Removal", item: "State" },
  { kind: "crowd", topic: "RuleEngine/CrowdDetector/Gathering", item: "State" },
  { kind: "pir", topic: "Device/Sensor/PIR", item: "State" },
  { kind: "scream", topic: "AudioAnalytics/SoundClassification/Scream", item: "State" },
  { kind: "glass", topic: "AudioAnalytics/SoundClassification/GlassBreak", item: "State" },
  { kind: "soundAlarm", topic: "AudioAnalytics/SoundClassification/AlarmSound", item: "State" },
  { kind: "sound", topic: "AudioAnalytics/Audio/DetectedSound", item: "IsSoundDetected" },
  { kind: "tampering", topic: "VideoSource/GlobalSceneChange/ImagingService", item: "State" },
  { kind: "covered", topic: "RuleEngine/TamperDetector/Covered", item: "IsTamper" },
  { kind: "moved", topic: "RuleEngine/TamperDetector/Redirected", item: "IsTamper" },
  { kind: "defocused", topic: "VideoSource/ImageTooBlurry/ImagingService", item: "State" },
  { kind: "relay", topic: "Device/Trigger/Relay", item: "LogicalState" },
  { kind: "fire", topic: "RuleEngine/FireDetector/Fire", item: "State" },
  { kind: "smoke", topic: "RuleEngine/SmokeDetector/Smoke", item: "State" },
  { kind: "temperature", topic: "RuleEngine/Radiometry/TemperatureAlarm", item: "AlarmActive" },
  { kind: "storageFailure", topic: "Device/HardwareFailure/StorageFailure", item: "Failed" },
  { kind: "refusedLogin", topic: "UserAlarm/IllegalAccess", item: "State" },
];

const BY_KIND: ReadonlyMap<SeenKind, SeenTopic> = new Map(SEEN_TOPICS.map((seen) => [seen.kind, seen]));

/** The message of a kind's state; undefined: clients have no topic for it. */
export function seenMessage(
  {
    channelId,
    kind,
    active,
  }: { readonly channelId: Guid; readonly kind: SeenKind; readonly active: boolean },
  operation: PropertyMessage["operation"],
  timeMs: number,
): PropertyMessage | undefined {
  const seen = BY_KIND.get(kind);
  if (seen === undefined) return undefined;
  const { topic, item } = seen;
  const isRelay = kind === "relay";
  return {
    ...{ topic, channelId, operation, timeMs },
    source: isRelay ? ["RelayToken", TOKENS.relay(channelId)] : ["Source", TOKENS.videoSource(channelId)],
    data: [item, isRelay ? (active ? "active" : "inactive") : String(active)],
  };
}
