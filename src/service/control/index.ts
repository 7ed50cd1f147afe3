/**
 * service/control: what the running service and the command line say to each other over the control socket.
 *
 * Belongs here: each command's question and answer as schemas, and the service's side of it.
 * Does not belong here: the socket itself (`control`), what a person types and reads (`command`).
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
export { adoptAnswer, doneAnswer, registerVolumeCommands, type VolumeEntry, volumeList } from "./volumes.js";
