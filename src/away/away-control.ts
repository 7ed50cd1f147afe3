import type { AwayTarget } from "../site/index.js";
import type { AwayTargetState } from "./replication.js";
import type { ReturnState } from "./returns.js";
import type { TargetProblem } from "./target-check.js";

/** Recordings off the box, as other rooms see them. */
export interface AwayControl {
  /** The targets that are on. */
  states(): readonly AwayTargetState[];
  /** What comes back of them. */
  returns(): readonly ReturnState[];
  /**
   * Tries all that replication needs of a target; undefined: all of it works. Takes at most 30 s. Rejects with NvrdError
   * TOO_MANY_REQUESTS.
   */
  check(target: AwayTarget): Promise<TargetProblem | undefined>;
}
