import { EVERY_USER } from "../../access/index.js";
import type { Settings } from "../../settings/index.js";
import type { Site } from "../../site/index.js";

/** Who may use the recorder as an ONVIF device: the configuration's users where it says anything, else those of the settings file. */
export function onvifUsers(
  { onvifUsers: ofFile }: Pick<Settings, "onvifUsers">,
  site: Site,
): readonly string[] {
  const { onvifDevice } = site;
  if (onvifDevice === undefined) return ofFile;
  return onvifDevice.isForAllUsers ? [EVERY_USER] : onvifDevice.userNames;
}
