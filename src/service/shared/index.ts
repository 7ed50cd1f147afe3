/**
 * service/shared: parts that the running service has, and a command makes for itself where no service runs.
 *
 * Belongs here: the volumes of the settings, the look around the network, the parts of a support bundle, updates.
 * Does not belong here: what the service alone has (`part/`).
 */
export { archiveVolumes, mountedVolume } from "./archive-volumes.js";
export { createDeviceService, type DeviceService } from "./device-service.js";
export {
  configurationEntry,
  crashEntry,
  eventsEntry,
  jsonEntry,
  machineEntries,
  restartsEntry,
  settingsEntry,
} from "./support-entries.js";
export { knownSecrets } from "./support-secrets.js";
export { readGateAnswer, UPDATE_INBOX, UpdateService, updatePart } from "./update-service.js";
