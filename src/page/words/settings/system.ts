import { dictionary } from "../dictionary.js";

export const systemWords = dictionary({
  en: () => import("../en/settings/system.js"),
  ru: () => import("../ru/settings/system.js"),
});
