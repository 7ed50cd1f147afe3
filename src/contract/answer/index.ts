/**
 * What the service answers under /api, once: the members of each answer, their kinds and what is said of them.
 *
 * Belongs here: one file a topic, with its answers and their types. The page takes the types alone: texts are in descriptions.
 *
 * Does not belong here: what a body may hold (`resource/`), and what an answer is made from.
 */

export { type ClockState, clock, clockWitness } from "./clock.js";
export {
  type Disk,
  type DiskFigureName,
  type DiskFigures,
  type DiskHistory,
  type DiskSample,
  type Disks,
  type DiskWork,
  type DiskWorkBegun,
  diskHistory,
  disks,
  diskWorkBegun,
  type Volume,
} from "./disk.js";
export {
  type CameraHealth,
  type Health,
  health,
  RUN_ENDS,
  type RunEnd,
  type StreamHealth,
} from "./health.js";
export { type MotionSearch, type MotionSearches, motionSearch, motionSearches } from "./motion-search.js";
export {
  type Ipv4Settings,
  type Ipv6Settings,
  ipv4Methods,
  ipv6Methods,
  NETWORK_MANAGERS,
  type Network,
  type NetworkBox,
  type NetworkInterface,
  type NetworkSettings,
  type NetworkTrial,
  type NetworkTrialBegun,
  type NetworkTrialConfirmed,
  type NetworkTrialEnded,
  network,
  networkBox,
  networkTrialBegun,
  networkTrialConfirmed,
  networkTrialEnded,
} from "./network.js";
export { type SessionItem, type SessionState, type Sessions, session, sessions } from "./session.js";
export {
  PASSWORD_ADVICE,
  PASSWORD_SCORE_MIN,
  PASSWORD_WARNINGS,
  type PasswordStrength,
  passwordStrength,
  type Setup,
  setup,
} from "./setup.js";
export { LOSS_IDS, LOST_CAUSES, type LossId, type LostCause } from "./stream.js";
export {
  EVENT_GROUPS,
  GAP_REASON_TEXTS,
  type GapReason,
  type StripHeader,
  type Timeline,
  type TimelineChannel,
  type TimelineCounts,
  type TimelineEventGroup,
  type TimelineEvents,
  type TimelineGap,
  type TimelineProtected,
  type TimelineRun,
  timeline,
} from "./timeline.js";
