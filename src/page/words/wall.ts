import { dictionary } from "./dictionary.js";

/** The wall's words. */
export const wallWords = dictionary({
  en: () => import("./en/wall.js"),
  ru: () => import("./ru/wall.js"),
});
