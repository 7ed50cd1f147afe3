import { dictionary } from "./dictionary.js";

/** Words of the list of files that lie on the recorder. */
export const savedFileWords = dictionary({
  en: () => import("./en/saved-files.js"),
  ru: () => import("./ru/saved-files.js"),
});
