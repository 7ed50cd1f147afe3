import { by, flag, id, name, readOnly, sparse } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";

/** This server: `/configure/server`. */
export const serverSettings = {
  Id: readOnly(id),
  Name: name,
  UseTimeZones: by(flag, false),
  FileLinksEnabled: sparse(by(flag, false)),
} as const;

export const serverSettingsTexts: TextsOf<typeof serverSettings> = {
  UseTimeZones: "Shown in [`/configex`](#get-configex).",
  FileLinksEnabled:
    "Users may make [links to files](#post-apifilesidlinks) for people without a login. An addition of nvrd's. False ends all links at once.",
};
