import {
  type Guid,
  type Language,
  patternOf,
  type SentenceLists,
  type SentencePattern,
  sentenceLists,
  translated,
} from "../base/index.js";
import { EVENT_TYPES, type EventTypeName } from "./catalogue.js";
import { COMMENT_TEMPLATES, SENTENCES } from "./comment-templates.js";
import type { EventRecord } from "./types.js";

/** Initiator of events that other programs reported: their words stay as they are. */
const EXTERNAL_MODULE = 8;
/** Comments that are remembered; those of a list repeat. */
const REMEMBERED_MAX = 2000;
/** Longer ones are no sentences of the recorder's. */
const COMMENT_CHARACTERS_MAX = 512;

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

/** A change of the configuration, as the recorder writes it in English, in a language. */
export function changeIn(summary: string, language: Language): string {
  if (language === "en" || summary.length > COMMENT_CHARACTERS_MAX) return summary;
  sentences ??= sentenceLists(SENTENCES);
  return translated(summary, sentences.get("change") ?? [], sentences) ?? summary;
}

interface Templates {
  readonly patterns: ReadonlyMap<Guid, readonly SentencePattern[]>;
  readonly sentences: SentenceLists;
}

function readTemplates(): Templates {
  const names = Object.keys(COMMENT_TEMPLATES) as EventTypeName[];
  return {
    sentences: sentences ?? sentenceLists(SENTENCES),
    patterns: new Map(
      names.map((name) => [EVENT_TYPES[name].id, (COMMENT_TEMPLATES[name] ?? []).map(patternOf)]),
    ),
  };
}

let sentences: SentenceLists | undefined;
