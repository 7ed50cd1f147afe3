/* Sentences that the recorder writes in English, translated by templates. */

/**
 * An English sentence and the same in Russian. `{name}` stands for a part that is a sentence of the list of that name, `{=name}` for
 * one that stays as it is: names, numbers, addresses.
 */
export type SentenceTemplate = readonly [english: string, russian: string];

/** A template that sentences can be compared with. */
export interface SentencePattern {
  readonly english: RegExp;
  /** The parts in the order of the English sentence. `isSentence`: it is one of the list of its name. */
  readonly parts: readonly { readonly name: string; readonly isSentence: boolean }[];
  readonly russian: string;
}

/** Lists of patterns by their names. */
export type SentenceLists = ReadonlyMap<string, readonly SentencePattern[]>;

/** Sentences stand in sentences; a text that joins more stays in English from there on. */
const DEPTH_MAX = 12;

export function sentenceLists(
  templates: Readonly<Record<string, readonly SentenceTemplate[]>>,
): SentenceLists {
  return new Map(Object.entries(templates).map(([name, list]) => [name, list.map(patternOf)]));
}

/** The text by the first template that fits; undefined where none does. */
export function translated(
  text: string,
  patterns: readonly SentencePattern[],
  sentences: SentenceLists,
  depth = 0,
): string | undefined {
  if (depth > DEPTH_MAX) return undefined;
  for (const { english, parts, russian } of patterns) {
    const match = english.exec(text);
    if (match === null) continue;
    const values = parts.map(({ name, isSentence }, index) => {
      const part = match[index + 1] ?? "";
      const list = isSentence ? sentences.get(name) : undefined;
      return list === undefined ? part : (translated(part, list, sentences, depth + 1) ?? part);
    });
    return filled(russian, parts, values);
  }
  return undefined;
}

function filled(russian: string, parts: SentencePattern["parts"], values: readonly string[]): string {
  const used = new Set<number>();
  return russian.replace(/\{=?(\w+)\}/g, (_whole, name: string) => {
    // The same name twice is two parts in their order.
    const index = parts.findIndex((part, at) => part.name === name && !used.has(at));
    used.add(index);
    return values[index] ?? "";
  });
}

export function patternOf([english, russian]: SentenceTemplate): SentencePattern {
  const parts: { name: string; isSentence: boolean }[] = [];
  const source = english
    .split(/(\{=?\w+\})/)
    .map((piece) => {
      const [, verbatim, name] = /^\{(=?)(\w+)\}$/.exec(piece) ?? [];
      if (name === undefined) return piece.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
      parts.push({ name, isSentence: verbatim === "" });
      return "(.+?)";
    })
    .join("");
  return { english: new RegExp(`^${source}$`, "s"), parts, russian };
}
