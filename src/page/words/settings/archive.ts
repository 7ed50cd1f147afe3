import { dictionary } from "../dictionary.js";

/** How far back the recordings reach, and why. */
export const archiveWords = dictionary({
  en: () => import("../en/settings/archive.js"),
  ru: () => import("../ru/settings/archive.js"),
});
