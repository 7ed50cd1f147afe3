import { define } from "./definition.js";
import { oneOf, userNames } from "./values.js";

/** The settings of the recorder as an ONVIF device. */

export const ONVIF_SETTING_DEFINITIONS = {
  onvifUsers: define<readonly string[]>({
    kind: userNames,
    fallback: [],
    fallbackText: "none: the recorder is no ONVIF device",
    description:
      "Users who may use the recorder as an ONVIF device: names of users, `*` for all. ONVIF's logins prove the password by a " +
      "digest, which can be checked only by who knows the password. So the passwords of these users, once they are set or " +
      "somebody logs in with them, are kept as they are in `onvif-passwords.json` in the data directory, which only the " +
      "service may read. Name users made for this purpose. See the [guide](../guide/onvif.md).",
  }),
  onvifDiscovery: define<"on" | "off">({
    kind: oneOf(["on", "off"]),
    fallback: "on",
    description:
      "Whether the recorder, while it is an ONVIF device, announces itself on its networks and answers who looks for devices " +
      "(WS-Discovery, UDP port 3702).",
  }),
} as const;
