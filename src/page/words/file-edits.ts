import { dictionary } from "./dictionary.js";

/** Words of files that play everywhere: what is done to their pictures, and what is missing for them. */
export const fileEditWords = dictionary({
  en: () => import("./en/file-edits.js"),
  ru: () => import("./ru/file-edits.js"),
});
