/**
 * What a camera, or a detector of the recorder, can report: one list for recognizing, storing, choosing and showing it. Names
 * never change, because configurations and programs hold them.
 */
export const SEEN_KINDS = [
  "motion",
  "pir",
  "person",
  "vehicle",
  "animal",
  "face",
  "package",
  "plate",
  "lineCrossed",
  "zoneEntered",
  "zoneLeft",
  "loitering",
  "objectLeft",
  "objectTaken",
  "crowd",
  "doorbell",
  "scream",
  "glass",
  "soundAlarm",
  "sound",
  "tampering",
  "covered",
  "moved",
  "defocused",
  "input",
  "relay",
  "fire",
  "smoke",
  "temperature",
  "storageFailure",
  "refusedLogin",
  "rule",
  "other",
] as const;

/** `rule`: a rule of the camera's own making; `other`: what only the camera's own words name. */
export type SeenKind = (typeof SEEN_KINDS)[number];

/** Somebody or something is there or moves: what a channel that is recorded on the camera's motion is recorded on, too. */
export const PRESENCE_KINDS: readonly SeenKind[] = [
  "pir",
  "person",
  "vehicle",
  "animal",
  "face",
  "package",
  "plate",
  "lineCrossed",
  "zoneEntered",
  "zoneLeft",
  "loitering",
  "objectLeft",
  "objectTaken",
  "crowd",
  "doorbell",
];
