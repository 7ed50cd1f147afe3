import { dictionary } from "../dictionary.js";

export const directoryWords = dictionary({
  en: () => import("../en/settings/directory.js"),
  ru: () => import("../ru/settings/directory.js"),
});
