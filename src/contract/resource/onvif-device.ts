import { by, flag, line, list, NAME_LENGTH_MAX } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";

/** The recorder as an ONVIF device: `/api/system/onvif-device`, and the settings of the process. */

const USERS_MAX = 64;

export const onvifDevice = {
  /** Users who may use it; no users: the recorder is no ONVIF device. */
  UserNames: by(list(line(NAME_LENGTH_MAX), USERS_MAX, "users"), []),
  IsForAllUsers: by(flag, false),
  IsAnnounced: by(flag, true),
} as const;

export const onvifDeviceTexts: TextsOf<typeof onvifDevice> = {
  UserNames:
    "Names of the users who may use the recorder as an ONVIF device. None: it is no ONVIF device. ONVIF's logins prove the password by a digest, which can be checked only by who knows the password: so those of these users are kept as they are, in `onvif-passwords.json` in the data directory, which only the service may read.",
  IsForAllUsers: "Every user may, root as well, whatever `UserNames` says.",
  IsAnnounced:
    "It announces itself on its networks, and answers who looks for devices (WS-Discovery, UDP port 3702).",
};
