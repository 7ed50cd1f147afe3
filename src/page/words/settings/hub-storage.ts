import { dictionary } from "../dictionary.js";

/** What a hub may read of a recorder off it. */
export const hubStorageWords = dictionary({
  en: () => import("../en/settings/hub-storage.js"),
  ru: () => import("../ru/settings/hub-storage.js"),
});
