import { dictionary } from "../dictionary.js";

/** What disks say of themselves (SMART). */
export const smartWords = dictionary({
  en: () => import("../en/settings/smart.js"),
  ru: () => import("../ru/settings/smart.js"),
});
