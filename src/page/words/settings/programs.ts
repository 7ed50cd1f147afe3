import { dictionary } from "../dictionary.js";

export const programsWords = dictionary({
  en: () => import("../en/settings/programs.js"),
  ru: () => import("../ru/settings/programs.js"),
});
