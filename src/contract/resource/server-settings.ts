import { by, flag, id, name, optional, readOnly } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";

/** This server: `/configure/server`. */
export const serverSettings = {
  Id: readOnly(id),
  Name: name,
  UseTimeZones: by(flag, false),
  FileLinksEnabled: optional(flag),
} as const;

export const serverSettingsTexts: TextsOf<typeof serverSettings> = {
  UseTimeZones: "Shown in [`/configex`](#get-configex).",
  FileLinksEnabled:
    "Users may make [links to files](#post-apifilesidlinks) for people without a login. An addition of nvrd's, absent while it is false. False ends all links at once.",
};
