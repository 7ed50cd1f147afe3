import { choice, flag, group, listOf, meaning, nullable, text, type ValueOf } from "../kinds/kinds.js";
import { onvifDevice } from "../resource/onvif-device.js";

/** The recorder as an ONVIF device, and who may use it: `/api/system/onvif-device`. */

export const onvifDeviceState = group({
  Source: meaning(
    "Who says who may use it: the configuration counts where it says anything, else the settings file.",
    choice("Configuration", "SettingsFile", "None"),
  ),
  IsRunning: meaning("Whether the recorder is an ONVIF device now.", flag),
  Path: meaning("Where its device service is, on the HTTP port.", text),
  Users: meaning(
    "Who may use it.",
    listOf(
      group({
        Name: text,
        IsReady: meaning(
          "False: the password is not known yet; the user logs in once with it, or gets a new one.",
          flag,
        ),
      }),
    ),
  ),
  Settings: meaning("What the configuration says; null: nothing.", nullable(group(onvifDevice))),
});
export type OnvifDeviceState = ValueOf<typeof onvifDeviceState>;
