/**
 * update: updates of the whole system: received, checked, installed into the other slot, tried once, kept or rolled
 * back.
 *
 * Belongs here: the journal of an update, the service's part (without privileges) and root's part, the health gate,
 * calls of RAUC and of the boot back end.
 * Does not belong here: HTTP (`owner`), how the boot loader is configured (`image/rauc`), the state of the recorder
 * (`service/shared`), events (`event`).
 */
export { BootAgent } from "./boot-agent.js";
export { type RunCommand, runCommand } from "./command-runner.js";
export { type Handover, HandoverDirectory, type UpdateRequest } from "./handover.js";
export {
  GATE_TIMES,
  type GateChannel,
  type GateState,
  type GateVerdict,
  type GateVolume,
  gateProblems,
  HealthGate,
} from "./health-gate.js";
export { BUNDLE_BYTES_MAX, Inbox, type Upload } from "./inbox.js";
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
export type {
  BootState,
  RecorderBefore,
  SlotSystem,
  UpdateState,
} from "./types.js";
export { type ReportedPhase, UpdateWatch } from "./update-watch.js";
export { Updater } from "./updater.js";
