import { dictionary } from "./dictionary.js";

/** Cameras whose recordings are here although they are not set up any more. */
export const formerWords = dictionary({
  en: () => import("./en/former.js"),
  ru: () => import("./ru/former.js"),
});
