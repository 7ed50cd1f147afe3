import { effect, signal } from "@preact/signals";
import { fetchWords } from "../words/dictionary.js";
import { LANGUAGES, type Language, language, preferredLanguage } from "../words/language.js";
import { session } from "./session.js";

/** Light, dark, or as the system has it. */
export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>("auto");

const KEY = "nvrd.preferences";

/** Nobody has chosen a language, and the browser names none that the page has: the box's own is then the nearest. */
let isOpen = false;

/** Takes over what this browser kept, and keeps what changes: language and theme, nothing of the user or the recorder. */
export function followPreferences(document: Document): void {
  const kept = readKept();
  const named = LANGUAGES.find((name) => name === kept.language) ?? preferredLanguage(navigator.languages);
  language.value = named ?? "en";
  isOpen = named === undefined;
  effect(() => {
    const boxLanguage = session.value?.Language;
    if (!isOpen || boxLanguage === undefined) return;
    chooseLanguage(boxLanguage).catch((error: unknown) =>
      console.warn("the words of the box's language cannot be fetched", error),
    );
  });
  theme.value = THEMES.find((name) => name === kept.theme) ?? "auto";
  effect(() => {
    document.documentElement.lang = language.value;
    document.documentElement.dataset.theme = theme.value;
    const { value } = language;
    keep({ ...(isOpen ? {} : { language: value }), theme: theme.value });
  });
}

/** The language that was chosen last; its words may be on their way. */
let lastChosen: Language | undefined;

/** The page is in the language once its words are here. Rejects when they cannot be fetched: the language then stays. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  lastChosen = chosen;
  await fetchWords(chosen);
  if (lastChosen !== chosen) return;
  isOpen = false;
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
function keep(preferences: { language?: Language; theme: Theme }): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch (error) {
    console.warn("the preferences cannot be kept in this browser", error);
  }
}
