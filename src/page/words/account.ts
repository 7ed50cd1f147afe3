import { dictionary } from "./dictionary.js";

export const accountWords = dictionary({
  en: () => import("./en/account.js"),
  ru: () => import("./ru/account.js"),
});
