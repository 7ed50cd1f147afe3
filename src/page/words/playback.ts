import { dictionary } from "./dictionary.js";

/** Words of the recordings screen. */
export const playbackWords = dictionary({
  en: () => import("./en/playback.js"),
  ru: () => import("./ru/playback.js"),
});
