import { dictionary } from "./dictionary.js";

/** Words of files that are made on the recorder. */
export const fileWords = dictionary({
  en: () => import("./en/files.js"),
  ru: () => import("./ru/files.js"),
});
