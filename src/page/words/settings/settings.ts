import { dictionary } from "../dictionary.js";

export const settingsWords = dictionary({
  en: () => import("../en/settings/settings.js"),
  ru: () => import("../ru/settings/settings.js"),
});
