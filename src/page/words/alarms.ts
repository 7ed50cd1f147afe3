import { dictionary } from "./dictionary.js";

/** Who is notified when something goes wrong. */
export const alarmsWords = dictionary({
  en: () => import("./en/alarms.js"),
  ru: () => import("./ru/alarms.js"),
});
