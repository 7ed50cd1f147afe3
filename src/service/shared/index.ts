/**
 * service/shared: parts used by the running service, and by commands if no service is running.
 *
 * Belongs here: the volumes in the settings, device discovery, the entries of a support bundle, updates.
 * Does not belong here: parts used only by the service (`part/`).
 */
export { archiveVolumes, mountedVolume } from "./archive-volumes.js";
export { createDeviceService } from "./device-service.js";
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
