import { dictionary } from "../dictionary.js";

/** Storage off the box that recordings are sent to. */
export const awayWords = dictionary({
  en: () => import("../en/settings/away.js"),
  ru: () => import("../ru/settings/away.js"),
});
