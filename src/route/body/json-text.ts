import { NvrdError } from "../../base/index.js";
import {
  CLOSES_LIST,
  CLOSES_OBJECT,
  COMMA,
  endOfString,
  OPENS_LIST,
  OPENS_OBJECT,
  QUOTE,
} from "./json-characters.js";
import { findRivalMember } from "./rival-members.js";

/** Maximum nesting of lists and objects in a body, so that recursive code cannot exhaust the stack. */
export const BODY_NESTING_MAX = 64;
/** Most members of objects and items of lists in a body: what is done for each of them is bounded by it. */
export const BODY_MEMBERS_MAX = 50_000;
/** Most members of one object. No object of the API has a tenth of it, and each name is looked up among the others. */
export const OBJECT_MEMBERS_MAX = 1024;

/** Characters of a member's path that are shown. */
const PATH_SHOWN_MAX = 200;

const BODY_HINT = "send JSON as UTF-8";

/**
 * The JSON value of a body. Throws NvrdError BAD_REQUEST when it is none, nests too deep, has too many members, or says one
 * member twice with different values, in whatever case.
 */
export function parseJsonText(body: Uint8Array): unknown {
  const text = decodeUtf8(body);
  const fault = shapeFault(text);
  if (fault !== undefined) throw new NvrdError("BAD_REQUEST", fault);
  const value = parsed(text);
  const found = findRivalMember(text);
  if (found !== undefined) {
    const { path, rival } = found;
    const words =
      path === rival ? "stands twice, with different values" : `says otherwise than ${tail(rival)}`;
    throw new NvrdError("BAD_REQUEST", `${tail(path)}: ${words}`, { hint: "" });
  }
  return value;
}

/** The end of a path: names from outside are cut, so that a message stays short. */
function tail(path: string): string {
  return path.replace(/\p{Cc}/gu, "?").slice(-PATH_SHOWN_MAX);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NvrdError("BAD_REQUEST", "the body is not JSON", { cause, hint: BODY_HINT });
  }
}

/**
 * Decodes UTF-8 without a byte order mark. Invalid bytes are refused, because they would be stored as replacement characters.
 */
function decodeUtf8(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (cause) {
    throw new NvrdError("BAD_REQUEST", "the body is not UTF-8", { cause, hint: BODY_HINT });
  }
}

/**
 * Why JSON text is refused before it is parsed: how deep it nests and how much it holds is counted while it is read, up to the
 * first excess. What stands in strings does not count. Undefined: nothing of this is wrong.
 */
function shapeFault(text: string): string | undefined {
  /** Commas so far of each object or list that is open; those of lists are not looked at. */
  const commas = new Uint32Array(BODY_NESTING_MAX + 1);
  const isObject = new Uint8Array(BODY_NESTING_MAX + 1);
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) {
      members += 1;
      const count = (commas[depth] ?? 0) + 1;
      commas[depth] = count;
      if (members >= BODY_MEMBERS_MAX) return `the body has more than ${BODY_MEMBERS_MAX} members`;
      if (count >= OBJECT_MEMBERS_MAX && isObject[depth] === 1)
        return `an object of the body has more than ${OBJECT_MEMBERS_MAX} members`;
    } else if (code === OPENS_LIST || code === OPENS_OBJECT) {
      members += 1;
      depth += 1;
      if (depth > BODY_NESTING_MAX) return `the body nests deeper than ${BODY_NESTING_MAX} levels`;
      commas[depth] = 0;
      isObject[depth] = code === OPENS_OBJECT ? 1 : 0;
    } else if ((code === CLOSES_LIST || code === CLOSES_OBJECT) && depth > 0) depth -= 1;
  }
  return undefined;
}
