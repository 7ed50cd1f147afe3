import { type Language, language } from "./language.js";

/** Words for the time before a dictionary is fetched: in each language with the page itself. */
export const LOADING = {
  en: {
    loading: "Loading…",
    screenFailed: "This part of the page could not be loaded.",
    retry: "Try again",
  },
  ru: {
    loading: "Загрузка…",
    screenFailed: "Эту часть страницы не удалось загрузить.",
    retry: "Повторить",
  },
} satisfies Record<Language, Readonly<Record<string, string>>>;

export const loadingWords = () => LOADING[language.value];
