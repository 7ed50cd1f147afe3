import { dictionary } from "../dictionary.js";

/** Words for looking after cameras. */
export const camerasWords = dictionary({
  en: () => import("../en/settings/cameras.js"),
  ru: () => import("../ru/settings/cameras.js"),
});
