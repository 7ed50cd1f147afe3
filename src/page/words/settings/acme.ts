import { dictionary } from "../dictionary.js";

export const acmeWords = dictionary({
  en: () => import("../en/settings/acme.js"),
  ru: () => import("../ru/settings/acme.js"),
});
