import { dictionary } from "./dictionary.js";

export const setupWords = dictionary({
  en: () => import("./en/setup.js"),
  ru: () => import("./ru/setup.js"),
});
