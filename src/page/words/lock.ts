import { dictionary } from "./dictionary.js";

/** Locks of protected recordings at storages off the box. */
export const lockWords = dictionary({
  en: () => import("./en/lock.js"),
  ru: () => import("./ru/lock.js"),
});
