import type { Guid } from "../../base/index.js";
import { EVENT_TYPES, type EventTypeName } from "../../event/index.js";
import type { TimelineEventGroup } from "../../messages/index.js";

/** In the order of the answer. */
export const EVENT_GROUPS = [
  "analytics",
  "alarm",
  "camera",
  "recording",
  "disk",
  "user",
  "other",
] as const satisfies readonly TimelineEventGroup[];

const TYPES: Readonly<Record<Exclude<TimelineEventGroup, "other">, readonly EventTypeName[]>> = {
  analytics: [
    "faceRecognized",
    "plateRecognized",
    "fireDetected",
    "abandonedItemDetected",
    "emergencyVehicleDetected",
    "externalEvent",
  ],
  alarm: [
    "tamperingStarted",
    "tamperingEnded",
    "inputActivated",
    "inputDeactivated",
    "ruleTriggered",
    "ruleEnded",
  ],
  camera: [
    "cameraLost",
    "cameraBack",
    "framesLost",
    "framesComplete",
    "motionDetectorBlind",
    "motionDetectorSees",
  ],
  recording: ["recordingStarted", "recordingStopped", "recordingModeChanged"],
  disk: [
    "thinningStarted",
    "thinningEnded",
    "droppingStarted",
    "droppingEnded",
    "minDaysUnmet",
    "minDaysMet",
  ],
  user: [
    "recordingSwitchedOn",
    "recordingSwitchedOff",
    "archiveProtected",
    "archiveProtectionLifted",
    "archiveDeleted",
    "exportMade",
  ],
};

const GROUPS_BY_TYPE: ReadonlyMap<Guid, TimelineEventGroup | "motion" | undefined> = new Map([
  ...EVENT_GROUPS.flatMap((group) =>
    group === "other" ? [] : TYPES[group].map((name) => [EVENT_TYPES[name].id, group] as const),
  ),
  [EVENT_TYPES.motionDetected.id, "motion"],
  // Of the same motion, where the channel's settings ask for its start and end.
  [EVENT_TYPES.motionStarted.id, undefined],
  [EVENT_TYPES.motionEnded.id, undefined],
]);

/** The group of an event type; undefined: it is not counted. */
export function groupOf(typeId: Guid): TimelineEventGroup | "motion" | undefined {
  return GROUPS_BY_TYPE.has(typeId) ? GROUPS_BY_TYPE.get(typeId) : "other";
}
