import type { Guid, Language } from "../base/index.js";
import { EVENT_TYPES, type EventTypeName } from "./catalogue.js";
import { COMMENT_TEMPLATES, type CommentTemplate, SENTENCES } from "./comment-templates.js";
import type { EventRecord } from "./types.js";

/** Initiator of events that other programs reported: their words stay as they are. */
const EXTERNAL_MODULE = 8;
/** Comments that are remembered; those of a list repeat. */
const REMEMBERED_MAX = 2000;
/** Longer ones are no sentences of the recorder's. */
const COMMENT_CHARACTERS_MAX = 512;
/** Sentences stand in sentences; a comment that joins more stays in English from there on. */
const DEPTH_MAX = 12;

interface Pattern {
  readonly english: RegExp;
  /** The parts in the order of the English sentence. `isSentence`: it is one of the list of its name. */
  readonly parts: readonly { readonly name: string; readonly isSentence: boolean }[];
  readonly russian: string;
}

type Sentences = ReadonlyMap<string, readonly Pattern[]>;

/** The comments in other languages than the one in which the recorder writes them, which is English. */
export class CommentWords {
  #templates: Templates | undefined;
  readonly #known = new Map<string, string>();

  /** What the recorder wrote, in a language; what somebody else wrote, and what is in no template, stays. */
  of({ typeId, comment, initiator }: EventRecord, language: Language): string {
    if (language === "en" || comment === "" || initiator.type === EXTERNAL_MODULE) return comment;
    if (comment.length > COMMENT_CHARACTERS_MAX) return comment;
    // The first comment in another language needs some hundred expressions; most recorders have none.
    this.#templates ??= readTemplates();
    const { patterns, sentences } = this.#templates;
    const fitting = patterns.get(typeId);
    if (fitting === undefined) return comment;
    const key = `${typeId} ${comment}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const words = translated(comment, fitting, sentences) ?? comment;
    if (this.#known.size >= REMEMBERED_MAX) this.#known.clear();
    this.#known.set(key, words);
    return words;
  }
}

/** A change of the configuration, as the recorder tells it in English, in a language. */
export function changeIn(summary: string, language: Language): string {
  if (language === "en" || summary.length > COMMENT_CHARACTERS_MAX) return summary;
  sentences ??= readSentences();
  return translated(summary, sentences.get("change") ?? [], sentences) ?? summary;
}

interface Templates {
  readonly patterns: ReadonlyMap<Guid, readonly Pattern[]>;
  readonly sentences: Sentences;
}

function readTemplates(): Templates {
  const names = Object.keys(COMMENT_TEMPLATES) as EventTypeName[];
  return {
    sentences: sentences ?? readSentences(),
    patterns: new Map(
      names.map((name) => [EVENT_TYPES[name].id, (COMMENT_TEMPLATES[name] ?? []).map(patternOf)]),
    ),
  };
}

let sentences: Sentences | undefined;

function readSentences(): Sentences {
  return new Map(Object.entries(SENTENCES).map(([name, templates]) => [name, templates.map(patternOf)]));
}

/** The text by the first template that fits; undefined where none does. */
function translated(
  text: string,
  patterns: readonly Pattern[],
  sentences: Sentences,
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

function filled(russian: string, parts: Pattern["parts"], values: readonly string[]): string {
  const used = new Set<number>();
  return russian.replace(/\{=?(\w+)\}/g, (_whole, name: string) => {
    // The same name twice is two parts in their order.
    const index = parts.findIndex((part, at) => part.name === name && !used.has(at));
    used.add(index);
    return values[index] ?? "";
  });
}

function patternOf([english, russian]: CommentTemplate): Pattern {
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
