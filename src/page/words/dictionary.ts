import { type Language, language } from "./language.js";

/** Where a dictionary's words are: a file a language, of which the page fetches that of the chosen one alone. */
type Sources<Words> = Readonly<Record<Language, () => Promise<{ readonly words: Words }>>>;

/** The dictionaries of all parts of the page that are loaded so far. */
const dictionaries: Fetchable[] = [];

interface Fetchable {
  has(name: Language): boolean;
  fetch(name: Language): Promise<void>;
}

/**
 * A function that gives the words of the language that is chosen now; a component that calls it follows a change. The words are there
 * once `fetchWords` was awaited after the module with the dictionary was loaded.
 */
export function dictionary<Words>(sources: Sources<Words>): () => Words {
  const fetched = new Map<Language, Words>();
  dictionaries.push({
    has: (name) => fetched.has(name),
    fetch: async (name) => void fetched.set(name, (await sources[name]()).words),
  });
  return () => {
    const words = fetched.get(language.value);
    if (words === undefined) throw new Error(`the words of a screen are not there in "${language.value}"`);
    return words;
  };
}

/** Has all dictionaries' words here in the language, by default in the one that is chosen, also when it changes meanwhile. */
export async function fetchWords(wanted?: Language): Promise<void> {
  for (;;) {
    const name = wanted ?? language.peek();
    const missing = dictionaries.filter((one) => !one.has(name));
    if (missing.length === 0) return;
    await Promise.all(missing.map((one) => one.fetch(name)));
  }
}
