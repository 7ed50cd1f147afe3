import { dictionary } from "./dictionary.js";

export const loginWords = dictionary({
  en: () => import("./en/login.js"),
  ru: () => import("./ru/login.js"),
});
