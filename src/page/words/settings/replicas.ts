import { dictionary } from "../dictionary.js";

/** Recordings at other recorders, and theirs here. */
export const replicasWords = dictionary({
  en: () => import("../en/settings/replicas.js"),
  ru: () => import("../ru/settings/replicas.js"),
});
