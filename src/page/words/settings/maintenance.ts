import { dictionary } from "../dictionary.js";

export const maintenanceWords = dictionary({
  en: () => import("../en/settings/maintenance.js"),
  ru: () => import("../ru/settings/maintenance.js"),
});
