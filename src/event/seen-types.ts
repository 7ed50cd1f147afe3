import type { Guid, SeenKind } from "../base/index.js";
import { EVENT_TYPES, type EventTypeName } from "./catalogue.js";

/** The types of a kind: it begins, or happens; and it ends. */
const NAMES = {
  pir: ["pirTriggered", "pirEnded"],
  person: ["personDetected", "personGone"],
  vehicle: ["vehicleDetected", "vehicleGone"],
  animal: ["animalDetected", "animalGone"],
  face: ["faceRecognized", "faceGone"],
  package: ["packageDetected", "packageGone"],
  plate: ["plateRecognized", "plateGone"],
  lineCrossed: ["lineCrossed", "lineClear"],
  zoneEntered: ["zoneEntered", "zoneEmpty"],
  zoneLeft: ["zoneLeft", "zoneLeftOver"],
  loitering: ["loiteringStarted", "loiteringEnded"],
  objectLeft: ["abandonedItemDetected", "abandonedItemGone"],
  objectTaken: ["itemTaken", "itemTakenOver"],
  crowd: ["crowdGathered", "crowdGone"],
  doorbell: ["doorbellRung", "doorbellReleased"],
  scream: ["screamHeard", "screamOver"],
  glass: ["glassHeard", "glassOver"],
  soundAlarm: ["alarmHeard", "alarmSoundOver"],
  sound: ["soundHeard", "soundOver"],
  tampering: ["tamperingStarted", "tamperingEnded"],
  covered: ["cameraCovered", "cameraUncovered"],
  moved: ["cameraMoved", "cameraMovedOver"],
  defocused: ["cameraDefocused", "cameraFocused"],
  input: ["inputActivated", "inputDeactivated"],
  relay: ["relayOn", "relayOff"],
  fire: ["fireDetected", "fireOver"],
  smoke: ["smokeDetected", "smokeOver"],
  temperature: ["temperatureAlarm", "temperatureNormal"],
  storageFailure: ["cameraStorageFailed", "cameraStorageWorks"],
  refusedLogin: ["cameraLoginRefused", "cameraLoginRefusedOver"],
  rule: ["ruleTriggered", "ruleEnded"],
  other: ["cameraTold", "cameraToldOver"],
} as const satisfies Readonly<
  Record<Exclude<SeenKind, "motion">, readonly [began: EventTypeName, ended: EventTypeName]>
>;

/** A kind that becomes events of its own; motion has its own ways. */
export type EventKind = keyof typeof NAMES;

export const EVENT_KINDS = Object.keys(NAMES) as readonly EventKind[];

/** The names of a kind's types: it begins, or happens; and it ends. */
export function seenTypeNames(kind: EventKind): readonly [began: EventTypeName, ended: EventTypeName] {
  return NAMES[kind];
}

/** The types of a kind's events: it begins, or happens; and it ends. */
export function seenTypes(kind: EventKind): readonly [began: Guid, ended: Guid] {
  const [began, ended] = NAMES[kind];
  return [EVENT_TYPES[began].id, EVENT_TYPES[ended].id];
}
