import { dictionary } from "./dictionary.js";

export const eventsWords = dictionary({
  en: () => import("./en/events.js"),
  ru: () => import("./ru/events.js"),
});
