import { dictionary } from "../dictionary.js";

export const usersWords = dictionary({
  en: () => import("../en/settings/users.js"),
  ru: () => import("../ru/settings/users.js"),
});
