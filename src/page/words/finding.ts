import { dictionary } from "./dictionary.js";

/** Words for finding cameras and adding them. */
export const findingWords = dictionary({
  en: () => import("./en/finding.js"),
  ru: () => import("./ru/finding.js"),
});
