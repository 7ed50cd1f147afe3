import { dictionary } from "../dictionary.js";

export const certificateWords = dictionary({
  en: () => import("../en/settings/certificate.js"),
  ru: () => import("../ru/settings/certificate.js"),
});
