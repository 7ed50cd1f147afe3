import type { SeenKind } from "../../base/index.js";
import { kindOfName, wordsOf } from "./seen-words.js";

/** Items of one message that are looked at, those within a text of the camera's own among them. */
export const ITEMS_READ_MAX = 32;
/** How deep a text in JSON is read, and how many of its members are looked at. */
const JSON_DEPTH_MAX = 4;
const JSON_MEMBERS_MAX = 128;
/** Words of one value that are looked at. */
const WORDS_MAX = 16;

/** Names under which 1 and 0 are a number. */
const NUMBER =
  /(?:count(?:er)?|number|num|total|sum|index|likelihood|confidence|score|probability|priority|severity|speed|object_?id|token)$/i;
const NUMBER_OF_THING = /(?:Id|ID|_id|^id)$/;
/** Names of a place, which has a number: data that belongs to the source. */
const PLACE =
  /(?:^|\.)(?:(?:video|audio)?_?source|channel|window|zone|region|area|rule|line|port|profile|preset|camera)$/i;
/** Names under which a word says whether something is so. */
const STATE = /(?:state|status|active|alarm)$|^is[A-Z]/i;
/** What cameras write there besides. */
const BEGINS =
  /^(?:start(?:ed)?|begin|began|triggered|(?:is )?detected|alarm(?:[ _-]?on)?|enabled?|occur(?:red|s)?|raised?|present|t|y|\+?0*1(?:\.0+)?)$/i;
const ENDS =
  /^(?:stop(?:ped)?|end(?:ed)?|clear(?:ed)?|normal|idle|none|(?:no[ _-]?|un|not )(?:alarm|detected|triggered)|no[ _-]?motion|alarm[ _-]?off|disabled?|released?|resolved|reset|lowered|absent|f|n|[+-]?0+(?:\.0+)?)$/i;
/** Names that ask a question: any number but 0 says yes. */
const QUESTION = /^is[A-Z]/i;
const COUNTED = /^\+?\d{1,9}(?:\.\d{1,9})?$/;
/** Names of an electrical level. */
const LEVEL = /(?:logical|input|port|pin)_?state$/i;
/** Words of a value that say that something is not so: `NoMotion`. */
const DENIES = /^(?:no|not|non|without) /;
/** Says that something begins or ends where nothing else in the message does. */
const ACTION = /(?:^|\.)action$/i;
/** Names whose values say what was seen. */
const SAYS_WHAT =
  /class|type|object|target|label|category|state|event|alarm|kind|status|action|(?:^|\.)code$/i;
const DIGIT = /^[01]$/;
/** Names of a number that was read from a vehicle: whatever it is, there is one. */
const PLATE = /(?:^|\.)(?:license|licence)?_?plate_?(?:number|no|text)$/i;
/** Longest value that is looked up as a whole: `Line Crossing`. */
const PHRASE_LENGTH_MAX = 64;
/** Names in `a=1;b=0`, as some makers write it within one item. */
const PAIR_NAME = /^[\w.-]{1,64}$/;

/** What one item of a message's data says. */
export type ItemSaid =
  | { readonly name: string; readonly state: boolean }
  /** What the camera sees now, in a list that may be empty. */
  | { readonly name: string; readonly kinds: readonly (readonly [kind: SeenKind, word: string])[] };

/** What the items say, each on its own. Anything else in them is left to the detail. */
export function saidBy(data: ReadonlyMap<string, string>): ItemSaid[] {
  const said: ItemSaid[] = [];
  const items = flat(data);
  const isSaid = items.some(
    ([name, value]) => booleanOf(name, value) !== undefined && isPlainState(name, value),
  );
  for (const [name, value] of items) {
    if (said.length >= ITEMS_READ_MAX) break;
    const state = booleanOf(name, value) ?? (isSaid ? undefined : actionOf(name, value));
    // Beside a plain state, a 1 of another name is a number: it would never end.
    if (state !== undefined && (!isSaid || isPlainState(name, value))) said.push({ name, state });
    else if (PLATE.test(name) && value !== "") said.push({ name, kinds: [["plate", name]] });
    else if (SAYS_WHAT.test(name)) {
      const kinds = kindsIn(value);
      if (kinds.length > 0 || (value === "" && isClassList(name))) said.push({ name, kinds });
    }
  }
  return said;
}

/** A state, by whatever word the camera has for it. */
export function booleanOf(name: string, value: string): boolean | undefined {
  const isNumber = NUMBER.test(name) || NUMBER_OF_THING.test(name) || PLACE.test(name) || isClassList(name);
  if (isNumber && DIGIT.test(value)) return undefined;
  if (/^(?:true|1|on|active|yes)$/i.test(value)) return true;
  if (/^(?:false|0|off|inactive|no)$/i.test(value)) return false;
  if (!STATE.test(name)) return undefined;
  if (BEGINS.test(value)) return true;
  if (ENDS.test(value) || DENIES.test(wordsOf(value))) return false;
  if (LEVEL.test(name) && /^(?:high|low)$/i.test(value)) return /^high$/i.test(value);
  return QUESTION.test(name) && !isNumber ? answerOf(name, value) : undefined;
}

/** What answers a question with a number, or with the thing itself: `IsMotion` with `Motion`. */
function answerOf(name: string, value: string): boolean | undefined {
  if (COUNTED.test(value)) return Number(value) !== 0;
  const kind = kindOfName(value);
  return kind !== undefined && kind === kindOfName(name) ? true : undefined;
}

function actionOf(name: string, value: string): boolean | undefined {
  if (!ACTION.test(name)) return undefined;
  if (/^(?:start|begin)$/i.test(value)) return true;
  return /^(?:stop|end)$/i.test(value) ? false : undefined;
}

/** Whether the word, or the name, leaves no doubt that it is a state and no number. */
function isPlainState(name: string, value: string): boolean {
  return !DIGIT.test(value) || STATE.test(name) || kindOfName(name) !== undefined;
}

/** The one thing that happens now: it takes the place of the one before. */
export function isHappening(name: string): boolean {
  return /(?:^|\.)(?:action|state|status)$/i.test(name);
}

/** A list of classes is complete: what it does not name is not there. */
export function isClassList(name: string): boolean {
  return /class|objecttype|targettype/i.test(name);
}

function kindsIn(value: string): (readonly [SeenKind, string])[] {
  if (DENIES.test(wordsOf(value.slice(0, PHRASE_LENGTH_MAX)))) return [];
  const found = new Map<SeenKind, string>();
  const parts = value.split(/[\s,;|/]+/, WORDS_MAX);
  // `Line Crossing` is one thing, `Human,Vehicle` are two.
  for (const word of [value.slice(0, PHRASE_LENGTH_MAX), ...parts]) {
    const kind = word === "" ? undefined : kindOfName(word);
    if (kind === undefined || kind === "rule" || kind === "other") continue;
    if (!found.has(kind)) found.set(kind, word);
  }
  return [...found];
}

/** The items, and in the place of one that holds JSON or pairs the members of it. */
function flat(data: ReadonlyMap<string, string>): (readonly [string, string])[] {
  const items: (readonly [string, string])[] = [];
  for (const [name, value] of data) {
    const inner = membersOf(value);
    if (inner.length === 0) items.push([name, value]);
    else for (const [key, text] of inner) items.push([`${name}.${key}`, text]);
  }
  return items;
}

function membersOf(value: string): (readonly [string, string])[] {
  if (/^\s*[[{]/.test(value)) return jsonMembers(value);
  if (!value.includes("=")) return [];
  const pairs = value
    .split(/[;,&|]/, JSON_MEMBERS_MAX)
    .filter((pair) => pair.trim() !== "")
    .map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()] as const;
    });
  return pairs.every(([name]) => PAIR_NAME.test(name)) ? pairs : [];
}

function jsonMembers(value: string): (readonly [string, string])[] {
  const members: (readonly [string, string])[] = [];
  const walk = (node: unknown, path: string, depth: number): void => {
    if (members.length >= JSON_MEMBERS_MAX || depth > JSON_DEPTH_MAX || node === null) return;
    if (typeof node !== "object") members.push([path, String(node)]);
    // The place in a list is no name.
    else
      for (const [key, member] of Object.entries(node).slice(0, JSON_MEMBERS_MAX))
        walk(member, Array.isArray(node) ? path : path === "" ? key : `${path}.${key}`, depth + 1);
  };
  try {
    walk(JSON.parse(value), "", 0);
  } catch {
    // It only looked like JSON, or was cut: it stays a text.
    return [];
  }
  return members;
}
