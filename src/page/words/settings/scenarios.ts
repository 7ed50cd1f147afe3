import { dictionary } from "../dictionary.js";

/** What is done together, and what starts it. */
export const scenariosWords = dictionary({
  en: () => import("../en/settings/scenarios.js"),
  ru: () => import("../ru/settings/scenarios.js"),
});
