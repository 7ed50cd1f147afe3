import { type Kind, type Member, type Members, NAME_LENGTH_MAX } from "../../contract/index.js";
import {
  choice,
  FLAG,
  GUID,
  type JsonSchema,
  linesUpTo,
  lineUpTo,
  listOf,
  meaning,
  objectOf,
  orNull,
  range,
} from "./json-schema.js";

/* Objects of the configuration as a body may have them, and an answer has them. */

type Texts = Readonly<Record<string, string | undefined>>;

/**
 * The schema of a resource: its members with their bounds, defaults and texts. `described`: members that have a description of
 * their own, by path.
 */
export function schemaOfResource(
  members: Members,
  texts: Texts,
  described: Readonly<Record<string, JsonSchema>> = {},
  path = "",
): JsonSchema {
  const properties = Object.entries(members)
    .filter(([, { isOwn }]) => isOwn !== true)
    .map(([name, member]) => {
      const at = `${path}${name}`;
      const bare = described[at] ?? schemaOfKind(member, texts, described, at);
      return [name, noted(bare, member, texts[at])] as const;
    });
  return objectOf(Object.fromEntries(properties), []);
}

function noted(schema: JsonSchema, member: Member, text: string | undefined): JsonSchema {
  const { default: usual, isWriteOnly, isNullable, isSecret } = member;
  const said = [text, keptOnlyText(member)].filter((part) => part !== undefined).join(" ");
  const full = isNullable === true || isSecret === true ? nullSchema(schema) : schema;
  return {
    ...(said === "" ? full : meaning(said, full)),
    ...(usual === undefined || usual === "" ? {} : { default: usual }),
    ...(isWriteOnly === true ? { writeOnly: true } : {}),
  };
}

/** An object with a name of its own is described once, without null. */
function nullSchema(schema: JsonSchema): JsonSchema {
  return schema.title === undefined ? orNull(schema) : { oneOf: [schema, { type: "null" }] };
}

function keptOnlyText({ keptOnly }: Member): string | undefined {
  if (keptOnly === undefined) return undefined;
  if (keptOnly === "") return "Stored only.";
  return `Stored only${keptOnly.startsWith("for ") ? "," : ":"} ${keptOnly}.`;
}

function schemaOfKind(
  kind: Kind,
  texts: Texts,
  described: Readonly<Record<string, JsonSchema>>,
  path: string,
): JsonSchema {
  switch (kind.kind) {
    case "flag":
      return FLAG;
    case "whole":
      return range(kind.min, kind.max, "integer");
    case "decimal":
      return range(kind.min, kind.max);
    case "line":
      return kind.isLong ? linesUpTo(kind.max) : lineUpTo(kind.max);
    case "name":
      return lineUpTo(NAME_LENGTH_MAX);
    case "choice":
      return choice(kind.of);
    case "id":
      return GUID;
    case "json":
      return {};
    case "list":
      return listOf(schemaOfKind(kind.item, texts, described, path), kind.max);
    case "group": {
      const schema = schemaOfResource(kind.members, texts, described, `${path}.`);
      return kind.always.length === 0 ? schema : { ...schema, required: kind.always };
    }
    default:
      throw new Error(`${path}: a member of the kind ${kind.kind} is described by itself`);
  }
}
