import { isDeepStrictEqual } from "node:util";
import {
  CLOSES_LIST,
  CLOSES_OBJECT,
  COMMA,
  endOfString,
  OPENS_LIST,
  OPENS_OBJECT,
  QUOTE,
} from "./json-characters.js";

/** Members whose value is JSON of a client's own, where `x` and `X` may be two things. */
const OWN_JSON = new Set(["zones", "interactivesearchsettings"]);

interface OpenObject {
  /** Members so far: by name in lower case, or as spelled within JSON of a client's own. */
  readonly members: Map<string, SaidMember>;
  readonly path: string;
  readonly isOwnJson: boolean;
  /** The member being read; undefined before the first, and in lists. */
  member: string | undefined;
  /** In lists: which item. */
  item: number | undefined;
  /** Where the value of the member being read begins. */
  from: number;
}

interface SaidMember {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Parsed once a second one comes. */
  value?: { readonly parsed: unknown };
}

/**
 * The path of a member that an object of valid JSON text says twice with different values, in one spelling or in two
 * that differ in case, and the path of the second one; undefined: there is none. A parser keeps one of them silently, and
 * another program may keep the other one.
 */
export function findRivalMember(text: string): { readonly path: string; readonly rival: string } | undefined {
  const open: OpenObject[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isOpening = code === OPENS_OBJECT || code === OPENS_LIST;
    const isEnd = code === COMMA || code === CLOSES_OBJECT || code === CLOSES_LIST;
    if (!isOpening && !isEnd && code !== QUOTE) continue;
    const inner = open.at(-1);
    if (isOpening) {
      open.push(opened(inner, code === OPENS_LIST));
      isName = code === OPENS_OBJECT;
    } else if (isEnd) {
      const rival = inner === undefined ? undefined : ended(inner, text, at);
      if (rival !== undefined) return rival;
      if (code !== COMMA) open.pop();
      else if (inner?.item !== undefined) inner.item += 1;
      isName = code === COMMA && inner?.item === undefined;
    } else {
      const end = endOfString(text, at);
      if (isName && inner !== undefined) {
        inner.member = nameIn(text.slice(at + 1, end));
        inner.from = text.indexOf(":", end) + 1;
      }
      isName = false;
      at = end;
    }
  }
  return undefined;
}

/** A name as it stands between its quotes. */
function nameIn(text: string): string {
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}

function opened(outer: OpenObject | undefined, isList: boolean): OpenObject {
  const name = outer?.member ?? "";
  const path = outer === undefined ? "" : childPath(outer);
  const isOwnJson = outer?.isOwnJson === true || OWN_JSON.has(name.toLowerCase());
  return { members: new Map(), path, isOwnJson, member: undefined, item: isList ? 0 : undefined, from: 0 };
}

function childPath({ path, member, item }: OpenObject): string {
  if (item !== undefined) return `${path}[${item}]`;
  return path === "" ? (member ?? "") : `${path}.${member ?? ""}`;
}

/** At the end of a member's value: whether it is a rival of one before. */
function ended(object: OpenObject, text: string, to: number): { path: string; rival: string } | undefined {
  const { members, member: name, isOwnJson, from } = object;
  if (name === undefined) return undefined;
  const key = isOwnJson ? name : name.toLowerCase();
  object.member = undefined;
  const before = members.get(key);
  if (before === undefined) {
    members.set(key, { name, from, to });
    return undefined;
  }
  before.value ??= { parsed: JSON.parse(text.slice(before.from, before.to)) };
  const isSame = isDeepStrictEqual(before.value.parsed, JSON.parse(text.slice(from, to)));
  return isSame
    ? undefined
    : { path: childPath({ ...object, member: before.name }), rival: childPath({ ...object, member: name }) };
}
