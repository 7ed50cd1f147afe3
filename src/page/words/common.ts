import { dictionary } from "./dictionary.js";

/** Words that more than one screen uses. */
export const commonWords = dictionary({
  en: () => import("./en/common.js"),
  ru: () => import("./ru/common.js"),
});
