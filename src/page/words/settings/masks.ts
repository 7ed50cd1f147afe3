import { dictionary } from "../dictionary.js";

/** Words of the privacy masks of a camera. */
export const masksWords = dictionary({
  en: () => import("../en/settings/masks.js"),
  ru: () => import("../ru/settings/masks.js"),
});
