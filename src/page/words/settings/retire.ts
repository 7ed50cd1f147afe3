import { dictionary } from "../dictionary.js";

/** A disk that is taken out of use, or replaced. */
export const retireWords = dictionary({
  en: () => import("../en/settings/retire.js"),
  ru: () => import("../ru/settings/retire.js"),
});
