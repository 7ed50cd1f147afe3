import {
  choice,
  decimal,
  flag,
  group,
  meaning,
  named,
  nullable,
  text,
  time,
  type ValueOf,
} from "../../kinds/kinds.js";

/** An update of the whole system: `/api/update`. */

export const UPDATE_PHASES = [
  /** There was none. */
  "none",
  /** The bundle is being received. */
  "receiving",
  /** Its signature is being checked. */
  "checking",
  /** It waits for root's unit. */
  "waiting",
  "installing",
  /** The box restarts into it. */
  "installed",
  /** It is running, and the health gate checks it. */
  "trial",
  /** The health gate rejected it; the box restarts into the previous version. */
  "rejected",
  "kept",
  "rolledBack",
  "failed",
] as const;
export type UpdatePhase = (typeof UPDATE_PHASES)[number];

export const update = named(
  "UpdateState",
  group({
    Supported: meaning("The recorder has a second slot to install an update into.", flag),
    RunningVersion: text,
    Slot: meaning("The slot that runs, `a` or `b`; null without slots.", nullable(text)),
    Phase: choice(...UPDATE_PHASES),
    Percent: meaning("Progress of the phase; null if unknown.", nullable(decimal(0, 100))),
    Message: meaning("The present step, or the reason for the result.", text),
    Version: meaning("The version that is or was installed.", nullable(text)),
    FromVersion: meaning("The version before it.", nullable(text)),
    Since: meaning("When the phase began.", nullable(time)),
  }),
);
export type UpdateProgress = ValueOf<typeof update>;
