import { dictionary } from "../dictionary.js";

/** The check of all recordings. */
export const checkWords = dictionary({
  en: () => import("../en/settings/check.js"),
  ru: () => import("../ru/settings/check.js"),
});
