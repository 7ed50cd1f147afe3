import {
  choice,
  group,
  id,
  integer,
  listOf,
  meaning,
  named,
  number,
  optional,
  text,
  type ValueOf,
} from "../kinds/kinds.js";

/** The timeline: `GET /api/timeline`. Times are Unix milliseconds, as in the live socket: an answer has thousands of them. */

/** Why nothing is recorded of a time, and what that means. */
export const GAP_REASON_TEXTS = {
  "camera-lost": "the camera did not answer, or sent nothing",
  interrupted: "the camera's stream was interrupted for some seconds, too short to be an event",
  "not-recordable":
    "the camera sent what could not be recorded: no key frame, or a form that is not known; the event `framesLost` there says which",
  "by-schedule": "the schedule leaves this time out",
  "no-motion": "recorded on motion, and there was none",
  "not-started": "recorded by hand, and nobody had switched it on",
  "switched-off": "the channel, or its recording, was switched off",
  "service-stopped": "the service was stopped in order: by somebody, for an update, with the machine",
  "service-crashed": "the service crashed or was killed",
  "power-cut": "the machine lost power, or crashed",
  disk: "nothing could be written, or a disk with recordings is not there",
  "deleted-age": "recorded, and deleted because of its age",
  "deleted-space": "recorded, and deleted because its space was needed",
  "recorder-busy": "other work of the recorder left it no time to receive what the camera sent",
  "clock-unknown": "the clock was moved ahead over this time",
  "not-recorded-yet": "before the channel was added, or recorded for the first time",
  "not-known-yet":
    "known in some seconds: the recording is that young, or the index of recordings is being opened",
  unknown: "nothing that the recorder knows explains it",
} as const;
export type GapReason = keyof typeof GAP_REASON_TEXTS;
export const GAP_REASONS = Object.keys(GAP_REASON_TEXTS) as GapReason[];

/** Groups of event types, in the order of the answer. Motion has a member of its own. */
export const EVENT_GROUPS = ["analytics", "alarm", "camera", "recording", "disk", "user", "other"] as const;
export type TimelineEventGroup = (typeof EVENT_GROUPS)[number];

const moment = meaning("Unix milliseconds, with a fraction.", number);
const span = { From: moment, To: moment } as const;
const counts = {
  Total: integer,
  Steps: meaning("The steps that have any, from 0; step `i` begins at `From + i * StepMs`.", listOf(integer)),
  Counts: meaning("How many each of `Steps` has.", listOf(integer)),
} as const;

/** A time in which the channel is recorded. */
const run = group({
  ...span,
  Recorded: optional(
    meaning("How many milliseconds of it are recorded. Left out where all of it is.", number),
  ),
});
export type TimelineRun = ValueOf<typeof run>;

const gap = group({ ...span, Reason: choice(...GAP_REASONS) });
export type TimelineGap = ValueOf<typeof gap>;

const eventCounts = group({ Group: choice(...EVENT_GROUPS), ...counts });
export type TimelineEvents = ValueOf<typeof eventCounts>;
export type TimelineCounts = Omit<TimelineEvents, "Group">;

const protectedTime = group({ ...span, Id: id, Comment: text });
export type TimelineProtected = ValueOf<typeof protectedTime>;

const channel = named(
  "TimelineChannel",
  group({
    Id: id,
    Runs: meaning(
      "What is recorded, oldest first, cut to the time that was asked for. A gap shorter than a step divides no run.",
      listOf(run),
    ),
    Gaps: meaning("All other times up to now, oldest first.", listOf(gap)),
    Motion: meaning("How often motion began.", group(counts)),
    Events: meaning(
      "Other events of the channel, by groups of types; groups without any are left out. Empty without the right CanAccessUnifiedLog.",
      listOf(eventCounts),
    ),
    Protected: meaning(
      "Protected times that overlap, not cut. Empty without the right CanManageRec.",
      listOf(protectedTime),
    ),
    Sound: meaning("Where the recordings have sound.", listOf(group(span))),
    Away: meaning(
      "What of `Runs` lies off the box alone, at a target of `/configure/away`: it is played from there. A gap shorter than a step divides no time.",
      listOf(group(span)),
    ),
    KeyFrames: meaning(
      "What of `Runs` is left as key frames alone: one picture for each, without sound. The whole recording went no further than the recorder.",
      listOf(group(span)),
    ),
    FromCamera: meaning(
      "What of `Runs` the camera kept, fetched later into gaps of the recording. Empty while `DeviceArchiveEnabled` of the camera is off.",
      listOf(group(span)),
    ),
  }),
);
export type TimelineChannel = ValueOf<typeof channel>;

export const timeline = group({
  Zone: meaning("IANA name of the recorder's time zone.", text),
  ...span,
  Now: meaning("The recorder's clock, in Unix milliseconds.", number),
  StepMs: meaning("The length of a step.", number),
  Channels: meaning("In the order of the request.", listOf(channel)),
});
export type Timeline = ValueOf<typeof timeline>;

/** The header `Strip` of `GET /api/strip`, as JSON: where the pictures are in the JPEG, and when they were shown. */
export interface StripHeader {
  /** Of one picture, in pixels. */
  readonly Width: number;
  readonly Height: number;
  /** Pictures in a row; rows follow below each other. */
  readonly Columns: number;
  /** Unix milliseconds; null: nothing is recorded of this part of the time. */
  readonly Times: readonly (number | null)[];
}
