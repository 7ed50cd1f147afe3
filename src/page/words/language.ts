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

/** The words of one screen in each language. */
export type Dictionary<Words> = Readonly<Record<Language, Words>>;

/** A function that gives the words of the language that is chosen now; a component that calls it follows a change. */
export function dictionary<Words>(words: Dictionary<Words>): () => Words {
  return () => words[language.value];
}

/** The words of a language in the order of another's, without their names; where that has an object, a list may be. */
type WordList = readonly unknown[];

/** What the build makes of a dictionary: names of words are in the first language alone, and those that are counted nowhere. */
export function packedDictionary<Words extends object>(
  writtenNames: Partial<Words>,
  countedWords: WordList,
  others: Readonly<Record<Exclude<Language, "en">, WordList>>,
): () => Words {
  const counted = countedWords.map((word, number) => [countedName(number), word] as const);
  const en = { ...writtenNames, ...Object.fromEntries(counted) } as Words;
  const words = { en, ...mapped(others, (list) => named(en, list) as Words) };
  return () => words[language.value];
}

/** The name of a dictionary's word number 0, 1, 2 and so on, as `scripts/page-word-names.mjs` gives it. */
function countedName(number: number): string {
  return String.fromCharCode(97 + (number % 26)) + (Math.floor(number / 26) || "");
}

function named(shape: object, list: WordList): object {
  let place = 0;
  return mapped(shape, (word) => {
    const own = list[place++];
    return Array.isArray(own) && !Array.isArray(word) ? named(word, own) : own;
  });
}

/** What the build writes for Russian letters, a byte each, and the letters; `scripts/page-letters.mjs` says why. */
const SIGNS = "abvgdejziyklmnoprstufhc#qw~x|@&_ABVGDEJZIYKLMNOPRSTUFHC<QW>X^=[]";
const LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ";

/** A text of which the build has put signs in the place of letters; what is put into it stays as it is. */
export function withLetters(texts: readonly string[], ...values: readonly unknown[]): string {
  const swapped = texts.map((text) =>
    text.replace(/./gs, (sign) => LETTERS[SIGNS.indexOf(sign)] ?? SIGNS[LETTERS.indexOf(sign)] ?? sign),
  );
  return String.raw({ raw: swapped }, ...values);
}

function mapped<Name extends string, From, To>(
  from: Readonly<Record<Name, From>>,
  change: (value: From) => To,
): Record<Name, To> {
  const entries = Object.entries<From>(from).map(([name, value]) => [name, change(value)]);
  return Object.fromEntries(entries) as Record<Name, To>;
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
