import type { Guid } from "../../base/index.js";
import type { DayRange, WeekDay } from "./week.js";

/** The targets of recordings off the box; stored in the configuration, used by the room `away`. */

export const AWAY_STYLES = ["path", "host"] as const;
export type AwayStyle = (typeof AWAY_STYLES)[number];

/**
 * What of a camera's recordings goes; `events`: motion and other events of the camera, with seconds around; `keyFrames`: key frames
 * of everything, without sound.
 */
export const AWAY_CONTENTS = ["everything", "events", "protected", "keyFrames", "nothing"] as const;
export type AwayContent = (typeof AWAY_CONTENTS)[number];
/** `recorded`: whatever streams are recorded. */
export const AWAY_STREAMS = ["recorded", "main", "alternative"] as const;
export type AwayStream = (typeof AWAY_STREAMS)[number];
export const AWAY_BEGINNINGS = ["now", "oldest"] as const;
export type AwayBeginning = (typeof AWAY_BEGINNINGS)[number];

export const AWAY_LOCK_MODES = ["none", "governance", "compliance"] as const;
export type AwayLockMode = (typeof AWAY_LOCK_MODES)[number];
/** Who removes what is too old: this recorder, or rules of the bucket. */
export const AWAY_AGE_BY = ["recorder", "bucket"] as const;
export type AwayAgeBy = (typeof AWAY_AGE_BY)[number];

/** How protected times are locked in the bucket, each from the moment on at which it is seen. */
export interface AwayTargetLock {
  /** `none`: not by themselves. */
  readonly mode: AwayLockMode;
  readonly days: number;
  /** Also held, without an end. */
  readonly isHeld: boolean;
}

/** What goes of a camera. */
export interface AwayPlan {
  readonly content: AwayContent;
  readonly stream: AwayStream;
  /** `now`: what is recorded from the moment on at which this was set; protected times go whatever their age. */
  readonly from: AwayBeginning;
  readonly secondsBefore: number;
  readonly secondsAfter: number;
}

export interface AwayCameraPlan extends AwayPlan {
  readonly channelId: Guid;
}

/** Hours of the week with a bandwidth of their own. */
export interface AwayHours extends DayRange {
  readonly day: WeekDay;
  /** Kilobits a second; null: no limit, 0: nothing is sent. */
  readonly kbpsMax: number | null;
}

/** A bucket of S3-compatible object storage, and the login for it. */
export interface AwayTarget {
  readonly id: Guid;
  readonly name: string;
  readonly isEnabled: boolean;
  /** An http:// or https:// URL of a host, without a path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Begins each name in the bucket; empty, or ends with a slash. */
  readonly prefix: string;
  /** `path`: `https://host/bucket/…`; `host`: `https://bucket.host/…`. */
  readonly style: AwayStyle;
  readonly accessKeyId: string;
  /** Write-only for the API. */
  readonly secretAccessKey: string;
  /** Of temporary credentials, else empty; write-only for the API. */
  readonly sessionToken: string;
  /** Certificates (PEM) of the only authorities that are trusted; empty: the usual ones. */
  readonly authority: string;
  /** An http:// URL without login; empty: none. */
  readonly proxy: string;
  readonly proxyLogin: string;
  /** Write-only for the API. */
  readonly proxyPassword: string;
  /** Of all cameras that `cameras` does not name. */
  readonly plan: AwayPlan;
  readonly cameras: readonly AwayCameraPlan[];
  /** At all times that `hours` does not name; kilobits a second; null: no limit, 0: nothing is sent. */
  readonly kbpsMax: number | null;
  readonly hours: readonly AwayHours[];
  /** Gigabytes that may be sent in a month; null: no limit. */
  readonly gbPerMonthMax: number | null;
  /** Share of the manifests in the bucket whose recordings are read back each day. */
  readonly auditPercent: number;
  readonly lock: AwayTargetLock;
  /** Days after which recordings are removed from the bucket, protected ones excepted; null: never. */
  readonly keepDays: number | null;
  readonly ageBy: AwayAgeBy;
  /** Public keys (age1…) for which recordings are encrypted before they go; empty: they are not. */
  readonly recipients: readonly string[];
  /** The private key to one of them, so that this recorder can read back; empty: it cannot. Write-only for the API. */
  readonly identity: string;
}

/** The members that a target of an older configuration lacks. */
export const AWAY_TARGET_DEFAULT: Pick<
  AwayTarget,
  "lock" | "keepDays" | "ageBy" | "recipients" | "identity"
> = {
  lock: { mode: "none", days: 90, isHeld: false },
  keepDays: null,
  ageBy: "recorder",
  recipients: [],
  identity: "",
};

/** What a new target sends. */
export const AWAY_PLAN_DEFAULT: AwayPlan = {
  content: "nothing",
  stream: "recorded",
  from: "now",
  secondsBefore: 10,
  secondsAfter: 60,
};
