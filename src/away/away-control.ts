import type { Guid } from "../base/index.js";
import type { BucketState } from "./bucket-state.js";
import type { EvidenceLockState, LockChange, LockWish } from "./evidence-locks.js";
import type { AwayTargetState } from "./replication.js";
import type { ReturnState } from "./returns.js";
import type { SendTarget } from "./target-address.js";
import type { TargetProblem } from "./target-check.js";

/** A lock, and whose bucket it is in. */
export interface AwayLock extends EvidenceLockState {
  readonly targetId: Guid;
  readonly targetName: string;
}

/** Recordings off the box, as other rooms see them. */
export interface AwayControl {
  /** Those of the configuration, and other recorders that cameras name. */
  targets(): readonly SendTarget[];
  /** The targets that are on. */
  states(): readonly AwayTargetState[];
  /** What comes back of them. */
  returns(): readonly ReturnState[];
  /**
   * Tries all that replication needs of a target; undefined: all of it works. Takes at most 30 s. Rejects with NvrdError
   * TOO_MANY_REQUESTS.
   */
  check(target: SendTarget): Promise<TargetProblem | undefined>;
  /** The locks in the buckets of targets that are on. */
  locks(): readonly AwayLock[];
  /** Rejects with NvrdError NOT_FOUND (no such target is on), CONFLICT (it cannot be locked so) or NOT_AVAILABLE. */
  lock(targetId: Guid, wish: LockWish): Promise<AwayLock>;
  /** Rejects as `lock`; NOT_FOUND: no such lock. */
  changeLock(id: Guid, change: LockChange): Promise<AwayLock>;
  liftLock(id: Guid): Promise<AwayLock>;
  /** What the bucket has beside objects. Rejects with NvrdError NOT_AVAILABLE. */
  bucket(target: SendTarget): Promise<BucketState>;
  /** Sets the proposed lifecycle rules. Rejects as `bucket`, and with CONFLICT where the server knows none. */
  setRules(target: SendTarget): Promise<BucketState>;
}
