/**
 * settings: the settings of the process, with one schema for file, environment and flags.
 *
 * Belongs here: each setting's definition, how its value is read and checked, credentials in files, names in the data
 * directory.
 * Does not belong here: the configuration that users change (`site`), the syntax of the command line (`command`).
 */
export { ldapSettings } from "./directory-settings.js";
export { readHubAddress } from "./hub-store-settings.js";
export { oidcSettings } from "./oidc-settings.js";
export { EVENTS_NAME, loadSettings, type Settings, volumeBounds } from "./settings.js";
export { DEFAULT_RESERVE, reserveOf, type VolumeSetting } from "./values.js";
