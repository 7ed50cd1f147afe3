import { by, flag, id, name, readOnly } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";

/** This server: `/configure/server`. */
export const serverSettings = {
  Id: readOnly(id),
  Name: name,
  UseTimeZones: by(flag, false),
} as const;

export const serverSettingsTexts: TextsOf<typeof serverSettings> = {
  UseTimeZones: "Shown in [`/configex`](#get-configex).",
};
