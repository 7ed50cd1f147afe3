import { computed, signal } from "@preact/signals";

/** The languages of the page. */
export const LANGUAGES = ["en", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each in its own words, for the choice of one. */
export const LANGUAGE_NAMES: readonly (readonly [Language, string])[] = [
  ["en", "English"],
  ["ru", "Русский"],
];

export const language = signal<Language>("en");

/** The first language that the page has of those that a browser names; undefined where it has none of them. */
export function preferredLanguage(named: readonly string[]): Language | undefined {
  for (const tag of named) {
    const found = LANGUAGES.find((name) => tag.toLowerCase().split("-")[0] === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Forms of a word for a number, as CLDR's plural rules name them. */
export interface PluralForms {
  readonly one: string;
  readonly few?: string;
  readonly many?: string;
  readonly other: string;
}

const rules = computed(() => new Intl.PluralRules(language.value));
const numbers = computed(() => new Intl.NumberFormat(language.value));

/** A number with the form of the word that the language has for it: `3 cameras`. */
export function counted(count: number, forms: PluralForms): string {
  const form = rules.value.select(count);
  const word = form === "few" || form === "many" || form === "one" ? forms[form] : undefined;
  return `${numbers.value.format(count)} ${word ?? forms.other}`;
}

/** A number with at most two decimals, as the language writes it. */
export function decimal(value: number): string {
  return value.toLocaleString(language.value, { maximumFractionDigits: 2 });
}
