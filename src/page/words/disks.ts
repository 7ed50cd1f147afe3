import { dictionary } from "./dictionary.js";

/** Disks in people's words. */
export const disksWords = dictionary({
  en: () => import("./en/disks.js"),
  ru: () => import("./ru/disks.js"),
});
