import { type Group, type Kind, type Member, type Members, NAME_LENGTH_MAX } from "../../contract/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import {
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  type JsonSchema,
  linesUpTo,
  lineUpTo,
  listOf,
  meaning,
  NUMBER,
  named,
  objectOf,
  orNull,
  schemaOfBody,
  TEXT,
  WHOLE,
} from "./json-schema.js";

/* The schemas of what the contract has, for /openapi.json. */

type Described = Readonly<Record<string, JsonSchema>>;

/** How something is described. */
interface Describing {
  /** What a body may hold: with the bounds of texts and lists, and with defaults; no member has to be there. */
  readonly isBody: boolean;
  /** What is said of a member, by path. */
  readonly texts: Readonly<Record<string, string | undefined>>;
  /** Members that have a description of their own, by path. */
  readonly described: Described;
}

/** The schema of an answer of this kind. */
export function schemaOf(kind: Member, described: Described = {}): JsonSchema {
  return schemaOfMember(kind, { isBody: false, texts: {}, described }, "");
}

/** The schema of one of several messages, which their `type` distinguishes. */
export function schemaOfMessages(messages: Readonly<Record<string, Group>>): JsonSchema {
  const one = ([type, message]: [string, Group]): JsonSchema => {
    const { properties, required = [], ...said } = schemaOf(message);
    return { ...said, properties: { type: { const: type }, ...properties }, required: ["type", ...required] };
  };
  return { oneOf: Object.entries(messages).map(one) };
}

/** The schema of a resource as a body may have it, and an answer has it: its members with their bounds, defaults and texts. */
export function schemaOfResource(
  members: Members,
  texts: Describing["texts"],
  described: Described = {},
): JsonSchema {
  return schemaOfMembers(members, { isBody: true, texts, described }, "");
}

function schemaOfMember(member: Member, how: Describing, path: string): JsonSchema {
  const bare = how.described[path] ?? schemaOfKind(member, how, path);
  const { isNullable, isSecret, isWriteOnly, default: usual } = member;
  const full = isNullable === true || isSecret === true ? nullSchema(member, bare, how) : bare;
  if (!how.isBody) return member.meaning === undefined ? full : meaning(member.meaning, full);
  const said = [how.texts[path], keptOnlyText(member)].filter((part) => part !== undefined).join(" ");
  return {
    ...(said === "" ? full : meaning(said, full)),
    ...(usual === undefined || usual === "" ? {} : { default: usual }),
    ...(isWriteOnly === true ? { writeOnly: true } : {}),
  };
}

/** An object with a name of its own is described once, without null; the week of an answer has none of its own. */
function nullSchema({ kind }: Kind, schema: JsonSchema, { isBody }: Describing): JsonSchema {
  if (schema.anyOf !== undefined) return { anyOf: [...schema.anyOf, { type: "null" }] };
  return schema.title === undefined || (kind === "week" && !isBody)
    ? orNull(schema)
    : { oneOf: [schema, { type: "null" }] };
}

function keptOnlyText({ keptOnly }: Member): string | undefined {
  if (keptOnly === undefined) return undefined;
  if (keptOnly === "") return "Stored only.";
  return `Stored only${keptOnly.startsWith("for ") ? "," : ":"} ${keptOnly}.`;
}

function schemaOfMembers(members: Members, how: Describing, before: string): JsonSchema {
  const listed = Object.entries(members).filter(([, member]) => isListed(member, how));
  const properties = listed.map(([name, member]) => [name, schemaOfMember(member, how, `${before}${name}`)]);
  const required = listed.flatMap(([name, { isOptional }]) =>
    how.isBody || isOptional === true ? [] : [name],
  );
  return objectOf(Object.fromEntries(properties), required);
}

function isListed({ isOwn, isWriteOnly, isUnlisted }: Member, { isBody }: Describing): boolean {
  return isOwn !== true && (isBody || (isWriteOnly !== true && isUnlisted !== true));
}

function schemaOfKind(kind: Kind, how: Describing, path: string): JsonSchema {
  switch (kind.kind) {
    case "flag":
      return FLAG;
    case "whole":
      return { ...WHOLE, ...boundsOf(kind) };
    case "decimal":
      return { ...NUMBER, ...boundsOf(kind) };
    case "choice":
      return kind.isText === true ? TEXT : choice(kind.of);
    case "id":
      return GUID;
    case "time":
      return ISO_TIME;
    case "line":
      return how.isBody ? (kind.isLong ? linesUpTo : lineUpTo)(kind.max) : TEXT;
    case "name":
      return how.isBody ? lineUpTo(NAME_LENGTH_MAX) : TEXT;
    case "plain":
    case "coded":
      return TEXT;
    case "week":
      return schemaOfBody(readerOfValue(kind));
    case "json":
      return {};
    case "open":
      return { type: "object" };
    case "word":
    case "maybeId":
    case "tree":
    case "variant":
      throw new Error(`${path}: a value of the kind ${kind.kind} is described by the reader of its body`);
    case "list":
      if (kind.item.kind === "json") return { type: "array" };
      // What is said of an item of a body is said of the list.
      return how.isBody
        ? listOf(schemaOfKind(kind.item, how, path), kind.max)
        : listOf(schemaOfMember(kind.item, how, path));
    case "table":
      return { type: "object", additionalProperties: schemaOfMember(kind.of, how, path) };
    case "one of":
      return { anyOf: kind.of.map((each) => schemaOfMember(each, how, path)) };
    case "group": {
      const schema = schemaOfMembers(kind.members, how, path === "" ? "" : `${path}.`);
      if (kind.title !== undefined) return named(kind.title, schema);
      return how.isBody && kind.always.length > 0 ? { ...schema, required: kind.always } : schema;
    }
  }
}

function boundsOf({ min, max }: { readonly min: number; readonly max: number }): JsonSchema {
  return {
    ...(Number.isFinite(min) ? { minimum: min } : {}),
    ...(Number.isFinite(max) ? { maximum: max } : {}),
  };
}
