import { dictionary } from "./dictionary.js";

/** Messages to browsers while the page is closed. */
export const messagesWords = dictionary({
  en: () => import("./en/messages.js"),
  ru: () => import("./ru/messages.js"),
});
