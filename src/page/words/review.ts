import { dictionary } from "./dictionary.js";

/** What happened, as cards. */
export const reviewWords = dictionary({
  en: () => import("./en/review.js"),
  ru: () => import("./ru/review.js"),
});
