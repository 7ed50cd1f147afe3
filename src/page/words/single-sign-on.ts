import { dictionary } from "./dictionary.js";

/** The login at a provider. */
export const singleSignOnWords = dictionary({
  en: () => import("./en/single-sign-on.js"),
  ru: () => import("./ru/single-sign-on.js"),
});
