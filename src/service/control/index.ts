/**
 * service/control: the messages between the running service and the command line on the control socket.
 *
 * Belongs here: the schemas of each command's request and answer, and their handlers in the service.
 * Does not belong here: the socket itself (`control`), input and output of the command line (`command`).
 */
export { type CheckOptions, type CheckOutcome, readOutcome } from "./check-outcome.js";
export {
  type ConfigRequest,
  type ConfigResult,
  readConfigRequest,
  readConfigResult,
  runConfigRequest,
} from "./config.js";
export { itemsSchema, progressText, registerDiscoverCommand } from "./discover.js";
export { readPasswordReset, registerPasswordReset, runPasswordReset } from "./password-reset.js";
export {
  adoptAnswer,
  doneAnswer,
  moveAnswer,
  registerVolumeCommands,
  type VolumeEntry,
  volumeList,
} from "./volumes.js";
