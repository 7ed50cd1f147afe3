import { dictionary } from "./dictionary.js";

/** Lengths of time that recordings last. */
export const figureWords = dictionary({
  en: () => import("./en/figures.js"),
  ru: () => import("./ru/figures.js"),
});
