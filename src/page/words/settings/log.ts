import { dictionary } from "../dictionary.js";

export const logWords = dictionary({
  en: () => import("../en/settings/log.js"),
  ru: () => import("../ru/settings/log.js"),
});
