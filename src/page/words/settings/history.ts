import { dictionary } from "../dictionary.js";

export const historyWords = dictionary({
  en: () => import("../en/settings/history.js"),
  ru: () => import("../ru/settings/history.js"),
});
