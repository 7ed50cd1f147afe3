/**
 * Messages of the timeline: `GET /api/timeline`. Times are Unix milliseconds, as in the live socket: an answer has thousands
 * of them.
 */

/** Why nothing is recorded of a time. */
export type GapReason =
  /** The camera did not answer, or sent nothing. */
  | "camera-lost"
  /** The camera's stream was interrupted for seconds, too short to be reported. */
  | "interrupted"
  /** The camera sent, and it could not be recorded: no key frame came, or a form that is not known. An event says why. */
  | "not-recordable"
  /** The schedule does not have this time. */
  | "by-schedule"
  /** The channel is recorded on motion, and there was none. */
  | "no-motion"
  /** The channel is recorded by hand, and nobody had switched it on. */
  | "not-started"
  /** The channel or its recording was switched off. */
  | "switched-off"
  /** The service was stopped in order: by a user, an update, a restart of the machine. */
  | "service-stopped"
  /** The service crashed or was killed. */
  | "service-crashed"
  /** The machine lost power, or its kernel crashed. */
  | "power-cut"
  /** Nothing could be written, or the disk with the recordings is gone. */
  | "disk"
  /** Recorded, and deleted because of its age. */
  | "deleted-age"
  /** Recorded, and deleted because its space was needed. */
  | "deleted-space"
  /** The clock was moved: the recorder's clock never showed this time. */
  | "clock-unknown"
  | "recorder-busy"
  /** Before the channel was there, or was recorded for the first time. */
  | "not-recorded-yet"
  /** It is decided within seconds: the index of recordings is being opened, or the recording is that young. */
  | "not-known-yet"
  /** Nothing that is known explains it. */
  | "unknown";

/** A time in which the channel is recorded. Gaps shorter than a step are no gaps: `Recorded` then says how much there is. */
export interface TimelineRun {
  readonly From: number;
  readonly To: number;
  /** Milliseconds that are recorded; absent where all of it is. */
  readonly Recorded?: number;
}

export interface TimelineGap {
  readonly From: number;
  readonly To: number;
  readonly Reason: GapReason;
}

/** Counts of the steps that have any: `Counts[i]` is that of the step `Steps[i]`, which begins at `From + Steps[i] * StepMs`. */
export interface TimelineCounts {
  readonly Total: number;
  readonly Steps: readonly number[];
  readonly Counts: readonly number[];
}

/** Groups of event types. Motion has a member of its own. */
export type TimelineEventGroup = "analytics" | "alarm" | "camera" | "recording" | "disk" | "user" | "other";

export interface TimelineEvents extends TimelineCounts {
  readonly Group: TimelineEventGroup;
}

export interface TimelineSpan {
  readonly From: number;
  readonly To: number;
}

export interface TimelineProtected extends TimelineSpan {
  readonly Id: string;
  /** Why it was protected. */
  readonly Comment: string;
}

export interface TimelineChannel {
  /** GUID. */
  readonly Id: string;
  readonly Runs: readonly TimelineRun[];
  /** All that is not in `Runs`, up to now. */
  readonly Gaps: readonly TimelineGap[];
  /** How often motion began. */
  readonly Motion: TimelineCounts;
  /** Groups without an event are left out. */
  readonly Events: readonly TimelineEvents[];
  readonly Protected: readonly TimelineProtected[];
  /** Where the recordings have sound. */
  readonly Sound: readonly TimelineSpan[];
  /** What of `Runs` lies off the box alone, at a target of `/configure/away`. */
  readonly Away: readonly TimelineSpan[];
  /** What of `Runs` is left as key frames alone. */
  readonly KeyFrames: readonly TimelineSpan[];
  /** What of `Runs` the camera kept, fetched later into gaps. */
  readonly FromCamera: readonly TimelineSpan[];
}

export interface TimelineAnswer {
  /** IANA name of the recorder's time zone, to draw days in. */
  readonly Zone: string;
  readonly From: number;
  readonly To: number;
  /** The recorder's clock. */
  readonly Now: number;
  /** Length of a step; may be a fraction. */
  readonly StepMs: number;
  readonly Channels: readonly TimelineChannel[];
}

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

/** A search for motion in a part of the picture: `/api/motionsearch`. */
export interface MotionSearchAnswer {
  readonly Id: string;
  readonly ChannelId: string;
  readonly From: number;
  readonly To: number;
  readonly State: "waiting" | "running" | "done" | "cancelled" | "failed";
  /** 0 to 1. */
  readonly Progress: number;
  /** Stored events of the motion detector, or pictures that are compared; null before it has begun. */
  readonly Source: "events" | "pictures" | null;
  readonly Spans: readonly TimelineSpan[];
  /** There are more than 1000: the search ended there. */
  readonly IsCut: boolean;
  readonly Error: string | null;
}
