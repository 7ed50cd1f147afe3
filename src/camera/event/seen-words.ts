import type { SeenKind } from "../../base/index.js";
import { PAIR_TABLE, RULE_CLASSES, SEEN_TABLE, type SeenRow } from "./seen-table.js";

/** Names whose row is remembered; a camera has some tens of them. */
const REMEMBERED_MAX = 2048;
const NAME_LENGTH_MAX = 256;

const RULE_ENGINE = "RuleEngine";
/** Of such topics the third part is what the owner called the rule: `IVA/EnteringField/Stairs`. */
const NAMED_RULES = "IVA";
const GLUED = /^is[a-z]{3,}$/;
/** Last parts of topics that say only that there is something. */
const SAYS_NOTHING =
  /^(?:(?:in)?active|alarm|alert|changed?|detect(?:ed|ion|or)?|event|state|status|trigger(?:ed)?|\w+ service|(?:camera|channel|device|profile|rule|region|zone|window|any)? ?\d.*)$/;

/** What happens and is over: without being called a property, `true` only says that it happened. */
export const MOMENTS: ReadonlySet<SeenKind> = new Set([
  "lineCrossed",
  "zoneLeft",
  "objectTaken",
  "doorbell",
  "plate",
  "refusedLogin",
]);

const remembered = new Map<string, SeenRow | undefined>();

/** The words of a name in lower case: `line cross detector` for `LineCrossDetector`. */
export function wordsOf(name: string): string {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/[^\p{L}\d]+/gu, " ")
    .trim()
    .toLowerCase();
}

/** What a name of an item, or a word of a value, stands for; undefined: nothing that is known. */
export function kindOfName(name: string): SeenKind | undefined {
  return rowOf(name)?.kind;
}

/** What a rule of the camera's own making saw; undefined: its name says nothing, or is the owner's. */
export function classOfRule(name: string): SeenKind | undefined {
  return RULE_CLASSES.get(name)?.kind;
}

/**
 * What a topic stands for, by the last of its parts that says something: `CellMotionDetector/LineCross` is a line crossed.
 * Undefined: housekeeping of the camera.
 */
export function kindOfTopic(topic: string): SeenKind | undefined {
  const parts = topic.split("/");
  const isRule = parts[0]?.toLowerCase() === RULE_ENGINE.toLowerCase();
  const unknown = isRule ? "rule" : "other";
  if (!isRule && isHousekeeping(parts[0] ?? "")) return undefined;
  const pair = PAIR_TABLE.find(({ words }) => words.test(wordsOf(parts.slice(-2).join(" "))));
  if (pair !== undefined) return pair.kind;
  const said = isRule ? parts.slice(1) : ruleNameIn(topic) === "" ? parts : parts.slice(0, 2);
  const at = lastSaying(said);
  if (at === -1) return kindOfName(said.join(" ")) ?? unknown;
  const kind = rowOf(said[at] ?? "")?.kind;
  if (kind === undefined) return isRule ? "rule" : undefined;
  // What a motion detector reports besides motion is something else.
  const isOwn =
    kind !== "motion" || !isRule || said.slice(at + 1).every((part) => SAYS_NOTHING.test(wordsOf(part)));
  return isOwn ? kind : unknown;
}

/** The last part that says something; one that says only that there is a rule says nothing where another says what. */
function lastSaying(parts: readonly string[]): number {
  const isPlain = (part: string): boolean => {
    const row = rowOf(part);
    return row !== undefined && row.kind !== "rule";
  };
  const plain = parts.findLastIndex(isPlain);
  return plain === -1 ? parts.findLastIndex((part) => rowOf(part) !== undefined) : plain;
}

/** What the owner called the rule, where the topic says it; empty otherwise. */
export function ruleNameIn(topic: string): string {
  const [first, , ...name] = topic.split("/");
  return first === NAMED_RULES ? name.join("/") : "";
}

function rowOfWords(words: string): SeenRow | undefined {
  return SEEN_TABLE.find((row) => row.words.test(words));
}

function isHousekeeping(name: string): boolean {
  const row = rowOf(name);
  return row !== undefined && row.kind === undefined;
}

/** The row that fits a name; a name without end is none. */
function rowOf(name: string): SeenRow | undefined {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  if (remembered.has(name)) return remembered.get(name);
  const words = wordsOf(name);
  // Without capitals the question is part of its word: `ispeople`.
  const found = rowOfWords(words) ?? (GLUED.test(words) ? rowOfWords(words.slice(2)) : undefined);
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  remembered.set(name, found);
  return found;
}
