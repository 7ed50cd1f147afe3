import type { Guid } from "../../base/index.js";
import type { TimelineEventGroup } from "../../contract/answer/index.js";
import { EVENT_GROUPS } from "../../contract/answer/index.js";
import {
  EVENT_KINDS,
  EVENT_TYPES,
  type EventKind,
  type EventTypeName,
  seenTypeNames,
  seenTypes,
} from "../../event/index.js";

/** Of the camera itself, its contacts and its rules; all other kinds are of what it sees and hears. */
const OF_CAMERA: ReadonlySet<EventKind> = new Set<EventKind>([
  "tampering",
  "covered",
  "moved",
  "defocused",
  "input",
  "relay",
  "temperature",
  "storageFailure",
  "refusedLogin",
  "rule",
  "other",
]);
/** Whose ends were counted before there were kinds, and still are. */
const ENDS_COUNT: ReadonlySet<EventKind> = new Set<EventKind>(["tampering", "input", "rule"]);

const TYPES: Readonly<Record<Exclude<TimelineEventGroup, "other">, readonly EventTypeName[]>> = {
  analytics: [
    "faceRecognized",
    "plateRecognized",
    "fireDetected",
    "abandonedItemDetected",
    "emergencyVehicleDetected",
    "objectDetected",
    "externalEvent",
    ...begun((kind) => !OF_CAMERA.has(kind)),
  ],
  alarm: [...begun((kind) => OF_CAMERA.has(kind)), "tamperingEnded", "inputDeactivated", "ruleEnded"],
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
    "bookmark",
    "archiveProtected",
    "archiveProtectionLifted",
    "archiveGiven",
    "archiveTakenBack",
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
  // An end is of the same thing as its beginning.
  ...EVENT_KINDS.filter((kind) => !ENDS_COUNT.has(kind)).map(
    (kind) => [seenTypes(kind)[1], undefined] as const,
  ),
]);

/** The group of an event type; undefined: it is not counted. */
export function groupOf(typeId: Guid): TimelineEventGroup | "motion" | undefined {
  return GROUPS_BY_TYPE.has(typeId) ? GROUPS_BY_TYPE.get(typeId) : "other";
}

function begun(isIn: (kind: EventKind) => boolean): readonly EventTypeName[] {
  return EVENT_KINDS.filter(isIn).map((kind) => seenTypeNames(kind)[0]);
}
