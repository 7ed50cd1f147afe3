import { dictionary } from "../dictionary.js";

/** Recorders of one LAN that stand by each other. */
export const partnerWords = dictionary({
  en: () => import("../en/settings/partners.js"),
  ru: () => import("../ru/settings/partners.js"),
});
