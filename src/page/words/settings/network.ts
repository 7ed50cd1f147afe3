import { dictionary } from "../dictionary.js";

export const networkWords = dictionary({
  en: () => import("../en/settings/network.js"),
  ru: () => import("../ru/settings/network.js"),
});
