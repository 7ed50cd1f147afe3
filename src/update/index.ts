/**
 * update: another version of the whole system: received, checked, installed into the other slot, tried once, kept or rolled back.
 *
 * Belongs here: the journal of an update, what the service does of it (without rights) and what root's units do, the
 * health gate's judgement, the calls of RAUC and of the boot back end.
 * Does not belong here: HTTP (`api`), how a boot loader is told (`image/rauc`), what a recorder says of itself
 * (`update-service.ts`), events (`event`).
 */
export { BootAgent } from "./boot-agent.js";
export { type RunCommand, runCommand } from "./command-runner.js";
export { type Handover, HandoverDirectory, type UpdateRequest } from "./handover.js";
export {
  GATE_TIMES,
  type GateChannel,
  type GateLook,
  type GateVerdict,
  type GateVolume,
  gateProblems,
  HealthGate,
} from "./health-gate.js";
export { BUNDLE_BYTES_MAX, Inbox, type InboxOptions, type Upload } from "./inbox.js";
export { Installer } from "./installer.js";
export {
  type Journal,
  type JournalContents,
  JournalFile,
  notSupported,
  requireUpdateDirectory,
  type UpdateRecord,
} from "./journal.js";
export { RaucSystem } from "./rauc-system.js";
export {
  type BootState,
  type RecorderBefore,
  type SlotSystem,
  UPDATE_PHASES,
  type UpdateState,
} from "./types.js";
export { type ReportedPhase, UpdateWatch } from "./update-watch.js";
export { Updater } from "./updater.js";
