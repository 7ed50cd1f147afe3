/**
 * What a browser fetches for each part of the page, compressed by gzip: the first view (login and wall), and each further part when
 * it is opened. Words count in one language, the one with more.
 */

/** Bytes. With these the page is quick on a slow link. */
export const FIRST_VIEW_BYTES_MAX = 50 * 1024;
export const PART_BYTES_MAX = 40 * 1024;

const LANGUAGES = ["en", "ru"];
const WORDS = /\/page\/words\//;
const DICTIONARY = /^(.*\/page\/words)\/((?:settings\/)?[\w-]+)\.ts$/;

/**
 * @typedef {{ fileName: string, isEntry: boolean, isDynamicEntry: boolean, facadeModuleId: string | null, moduleIds: readonly string[],
 *   imports: readonly string[], dynamicImports: readonly string[] }} Chunk A file of the program, as rolldown describes it.
 * @param {readonly Chunk[]} chunks
 * @param {ReadonlyMap<string, number>} sizes Of each file, compressed.
 * @param {readonly string[]} others What is fetched with the first view beside the program.
 * @returns {{ firstView: Record<string, number>, parts: Record<string, Record<string, number>> }} Sizes by language; those of parts
 *   by the module that is opened.
 */
export function partSizes(chunks, sizes, others) {
  const graph = new Graph(chunks);
  const entry = chunks.find(({ isEntry }) => isEntry);
  const first = graph.reachable([entry]);
  const sum = (names) => [...names].reduce((all, name) => all + sizes.get(name), 0);
  const each = (make) => Object.fromEntries(LANGUAGES.map((language) => [language, make(language)]));
  const withWords = (part, language) => new Set([...part, ...graph.wordsOf(part, language)]);
  const firstView = each((language) => sum(new Set([...others, ...withWords(first, language)])));
  const opened = chunks.filter(
    ({ isDynamicEntry, facadeModuleId }) => isDynamicEntry && !WORDS.test(facadeModuleId ?? ""),
  );
  const parts = opened.map((chunk) => {
    // A part within a screen is opened with the screen around it.
    const opening = chunks.filter(
      ({ fileName, dynamicImports }) => dynamicImports.includes(chunk.fileName) && !first.has(fileName),
    );
    const around = chunks.filter(
      (other) => opening.includes(other) || opening.some(({ fileName }) => other.imports.includes(fileName)),
    );
    const all = graph.reachable([chunk, ...around]);
    const own = (language) => {
      const known = withWords(first, language);
      return [...withWords(all, language)].filter((name) => !known.has(name));
    };
    return [chunk.facadeModuleId ?? chunk.fileName, each((language) => sum(own(language)))];
  });
  return { firstView, parts: Object.fromEntries(parts) };
}

/** Throws where a part is larger than it may be. */
export function refuseHeavy({ firstView, parts }) {
  refuse("first view", firstView, FIRST_VIEW_BYTES_MAX);
  for (const [name, sizes] of Object.entries(parts)) refuse(`part ${name}`, sizes, PART_BYTES_MAX);
}

function refuse(name, sizes, max) {
  for (const [language, bytes] of Object.entries(sizes))
    if (bytes > max)
      throw new Error(`the page's ${name} has ${bytes} bytes in "${language}"; at most ${max}`);
}

class Graph {
  #chunks;

  constructor(chunks) {
    this.#chunks = chunks;
  }

  /** The files of chunks and of all that they import. */
  reachable(chunks) {
    const names = new Set();
    const visit = ({ fileName, imports }) => {
      if (names.has(fileName)) return;
      names.add(fileName);
      for (const name of imports) visit(this.#named(name));
    };
    for (const chunk of chunks) visit(chunk);
    return names;
  }

  /** The files with the words of all dictionaries in files, and what these import. */
  wordsOf(names, language) {
    const ids = [...names].flatMap((name) => this.#named(name).moduleIds);
    const found = ids.flatMap((id) => {
      const [, folder, word] = DICTIONARY.exec(id) ?? [];
      return this.#chunks.filter(({ moduleIds }) => moduleIds.includes(`${folder}/${language}/${word}.ts`));
    });
    return this.reachable(found);
  }

  #named(name) {
    return this.#chunks.find(({ fileName }) => fileName === name);
  }
}
