import { effect, signal } from "@preact/signals";
import { LANGUAGES, type Language, language, preferredLanguage } from "../words/language.js";

/** Light, dark, or as the system has it. */
export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>("auto");

const KEY = "nvrd.preferences";

/** Takes over what this browser kept, and keeps what changes: language and theme, nothing of the user or the recorder. */
export function followPreferences(document: Document): void {
  const kept = readKept();
  const named = preferredLanguage(navigator.languages);
  language.value = LANGUAGES.find((name) => name === kept.language) ?? named;
  theme.value = THEMES.find((name) => name === kept.theme) ?? "auto";
  effect(() => {
    document.documentElement.lang = language.value;
    document.documentElement.dataset.theme = theme.value;
    keep({ language: language.value, theme: theme.value });
  });
}

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
}

function readKept(): Record<string, unknown> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Record<string, unknown>) : {};
  } catch (error) {
    console.warn("the preferences of this browser cannot be read", error);
    return {};
  }
}

/** A browser may refuse to store anything; the choice then lasts as long as the page. */
function keep(preferences: { language: Language; theme: Theme }): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch (error) {
    console.warn("the preferences cannot be kept in this browser", error);
  }
}
