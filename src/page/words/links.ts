import { dictionary } from "./dictionary.js";

/** Words of the links to files for people without a login. */
export const linkWords = dictionary({
  en: () => import("./en/links.js"),
  ru: () => import("./ru/links.js"),
});
