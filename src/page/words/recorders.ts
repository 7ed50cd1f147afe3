import { dictionary } from "./dictionary.js";

/** The list of a hub's recorders. */
export const recordersWords = dictionary({
  en: () => import("./en/recorders.js"),
  ru: () => import("./ru/recorders.js"),
});
