import { dictionary } from "../dictionary.js";

/** Who looks for persons, vehicles, plates and faces in pictures. */
export const analysersWords = dictionary({
  en: () => import("../en/settings/analysers.js"),
  ru: () => import("../ru/settings/analysers.js"),
});
