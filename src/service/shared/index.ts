/**
 * service/shared: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */

export { archiveVolumes } from "./archive-volumes.js";
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
