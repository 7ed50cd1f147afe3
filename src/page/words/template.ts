import { dictionary } from "./dictionary.js";

/** Templates for the settings of a hub's recorders. */
export const templateWords = dictionary({
  en: () => import("./en/template.js"),
  ru: () => import("./ru/template.js"),
});
