/**
 * settings: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */

export { EVENTS_NAME } from "./data-names.js";
export { ldapSettings } from "./directory-settings.js";
export { loadSettings, type Settings, volumeBounds } from "./settings.js";
export { DEFAULT_RESERVE, type VolumeSetting } from "./values.js";
