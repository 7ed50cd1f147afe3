/**
 * service: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */
export { type CheckOptions, type CheckOutcome, readOutcome } from "./control/check-outcome.js";
export {
  type ConfigRequest,
  type ConfigResult,
  readConfigResult,
  runConfigRequest,
} from "./control/config.js";
export { readVersion } from "./part/version.js";
export { type ReportingService, startManaged } from "./process/managed-service.js";
export { endProcess } from "./process/process-end.js";
export { supervise } from "./process/supervise.js";
export { Service } from "./service.js";
