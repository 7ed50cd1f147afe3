import type { Group, Kind, Member } from "../../contract/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import {
  choice,
  FLAG,
  GUID,
  ISO_TIME,
  type JsonSchema,
  listOf,
  meaning,
  NUMBER,
  named,
  objectOf,
  orNull,
  schemaOfBody,
  TEXT,
  WHOLE,
} from "../body/json-schema.js";

/** The schema of an answer of this kind, for /openapi.json. */
export function schemaOf(kind: Member): JsonSchema {
  const bare = bareSchema(kind);
  const schema = kind.isNullable === true || kind.isSecret === true ? nullSchema(kind, bare) : bare;
  return kind.meaning === undefined ? schema : meaning(kind.meaning, schema);
}

/** The schema of one of several messages, which are told apart by their `type`. */
export function schemaOfMessages(messages: Readonly<Record<string, Group>>): JsonSchema {
  const one = ([type, message]: [string, Group]): JsonSchema => {
    const { properties, required = [], ...said } = schemaOf(message);
    return { ...said, properties: { type: { const: type }, ...properties }, required: ["type", ...required] };
  };
  return { oneOf: Object.entries(messages).map(one) };
}

/** A group with a name of its own is described once, without null. */
function nullSchema({ kind }: Kind, schema: JsonSchema): JsonSchema {
  if (schema.anyOf !== undefined) return { anyOf: [...schema.anyOf, { type: "null" }] };
  return schema.title === undefined || kind === "week"
    ? orNull(schema)
    : { oneOf: [schema, { type: "null" }] };
}

function bareSchema(kind: Kind): JsonSchema {
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
    case "name":
    case "coded":
      return TEXT;
    case "week":
      return schemaOfBody(readerOfValue(kind));
    case "json":
      return {};
    case "open":
      return { type: "object" };
    case "list":
      return kind.item.kind === "json" ? { type: "array" } : listOf(schemaOf(kind.item));
    case "word":
    case "maybeId":
    case "tree":
      throw new Error(`a value of the kind ${kind.kind} is described with what is configured`);
    case "table":
      return { type: "object", additionalProperties: schemaOf(kind.of) };
    case "one of":
      return { anyOf: kind.of.map(schemaOf) };
    case "group": {
      const members = Object.entries(kind.members).filter(([, member]) => isListed(member));
      const required = members.flatMap(([name, { isOptional }]) => (isOptional === true ? [] : [name]));
      const properties = members.map(([name, member]) => [name, schemaOf(member)] as const);
      const schema = objectOf(Object.fromEntries(properties), required);
      return kind.title === undefined ? schema : named(kind.title, schema);
    }
  }
}

function isListed({ isWriteOnly, isUnlisted }: Member): boolean {
  return isWriteOnly !== true && isUnlisted !== true;
}

function boundsOf({ min, max }: { readonly min: number; readonly max: number }): JsonSchema {
  return {
    ...(Number.isFinite(min) ? { minimum: min } : {}),
    ...(Number.isFinite(max) ? { maximum: max } : {}),
  };
}
