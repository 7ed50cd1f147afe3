import { dictionary } from "../dictionary.js";

/** The hub of a recorder, and the recorders of a hub. */
export const fleetWords = dictionary({
  en: () => import("../en/settings/fleet.js"),
  ru: () => import("../ru/settings/fleet.js"),
});
