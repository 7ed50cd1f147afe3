import { computed } from "@preact/signals";
import { type Language, language } from "../words/language.js";

/** How dates are written where the browser names no region of the page's language. */
const REGIONS: Readonly<Record<Language, string>> = { en: "en-GB", ru: "ru-RU" };

/** The page's language with the region that the browser prefers: it decides on the clock of 12 or 24 hours. */
export const locale = computed(
  () =>
    navigator.languages.find(
      (tag) => tag.toLowerCase().split("-")[0] === language.value && tag.includes("-"),
    ) ?? REGIONS[language.value],
);
