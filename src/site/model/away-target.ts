import type { Guid } from "../../base/index.js";
import {
  type awayCamera,
  awayKeeping,
  awayLock,
  type awayPace,
  awayPlan,
  type awayReach,
  awayTarget,
  defaultsOf,
  part,
  type StoredOf,
} from "../../contract/index.js";

/** The targets of recordings off the box; stored in the configuration, used by the room `away`. */

/** How protected times are locked in the bucket, each from the moment on at which it is seen. */
type AwayTargetLock = StoredOf<typeof awayLock>;
export type AwayLockMode = AwayTargetLock["mode"];

/**
 * What goes of a camera. `events`: motion and other events of the camera, with seconds around; `keyFrames`: key frames of everything,
 * without sound. `now`: what is recorded from the moment on at which this was set; protected times go whatever their age.
 */
export type AwayPlan = StoredOf<typeof awayPlan>;
type AwayCameraPlan = StoredOf<typeof awayCamera>;

/** A bucket of S3-compatible object storage, the login for it, and what goes there. */
export interface AwayTarget
  extends StoredOf<typeof awayReach>,
    StoredOf<typeof awayPace>,
    StoredOf<typeof awayKeeping> {
  readonly id: Guid;
  readonly name: string;
  readonly isEnabled: boolean;
  /** Of all cameras that `cameras` does not name. */
  readonly plan: AwayPlan;
  readonly cameras: readonly AwayCameraPlan[];
  /** `none`: not by themselves. */
  readonly lock: AwayTargetLock;
  /** The private key to one of the recipients, so that this recorder can read back; empty: it cannot. */
  readonly identity: string;
}

/** The members that a target of an older configuration lacks. */
export const AWAY_TARGET_DEFAULT: Pick<
  AwayTarget,
  "lock" | "keepDays" | "ageBy" | "recipients" | "identity"
> = {
  lock: defaultsOf(awayLock),
  ...defaultsOf({ ...awayKeeping, ...part(awayTarget, "Identity") }),
};

/** What a new target sends. */
export const AWAY_PLAN_DEFAULT: AwayPlan = defaultsOf(awayPlan);
