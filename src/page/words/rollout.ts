import { dictionary } from "./dictionary.js";

/** An update of a hub's recorders. */
export const rolloutWords = dictionary({
  en: () => import("./en/rollout.js"),
  ru: () => import("./ru/rollout.js"),
});
