import { shown } from "../../http/index.js";
import { parseJsonBody } from "./json-body.js";
import { type JsonSchema, listOf, meaning, TEXT } from "./json-schema.js";

/** Most members named in one answer. */
const WARNINGS_MAX = 20;
/** Longest name of a member that is repeated. */
const NAME_LENGTH_MAX = 60;

/** `Warnings` of an answer, which is only there when there are any. */
export const WARNINGS: JsonSchema = meaning(
  "Members of the body, by their paths, that no such object has and that were not read, or that are kept and have no effect. Left out when there are none.",
  listOf(TEXT),
);

/** The answer with its `Warnings`, where there are any. */
export function withWarnings<T extends object>(answer: T, warnings: readonly string[]): T {
  return warnings.length === 0 ? answer : { ...answer, Warnings: warnings };
}

/**
 * What of a body nobody reads: a sentence for each member that its schema does not have, with its path and, where the
 * schema has one of that name elsewhere, the place where it belongs. Values are not repeated: they may be secrets.
 */
export function bodyWarnings(body: Uint8Array, schema: JsonSchema): readonly string[] {
  const found = [...unknownMembers(parseJsonBody(body), schema, undefined, "")];
  const texts = found.slice(0, WARNINGS_MAX).map(({ path, name }) => warningText(path, name, schema));
  const more = found.length - texts.length;
  return more > 0 ? [...texts, `and ${more} more`] : texts;
}

interface UnknownMember {
  readonly path: string;
  readonly name: string;
}

/** `within`: the object that the value is a member of, which a schema that nests in itself repeats. */
function* unknownMembers(
  value: unknown,
  schema: JsonSchema,
  within: JsonSchema | undefined,
  path: string,
): Generator<UnknownMember> {
  if (Array.isArray(value)) {
    const { items = {} } = alternative(schema, "items");
    for (const [index, item] of value.entries())
      yield* unknownMembers(item, items, within, `${path}[${index}]`);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  // An object without members of its own is one of the kind that holds it: a folder in a folder.
  const isSameAgain = schema.type === "object" && alternative(schema, "properties").properties === undefined;
  const object = isSameAgain ? (within ?? schema) : schema;
  const { properties } = alternative(object, "properties");
  // A member whose contents are anybody's own.
  if (properties === undefined) return;
  const byName = new Map(Object.entries(properties).map(([name, member]) => [name.toLowerCase(), member]));
  for (const [name, member] of Object.entries(value)) {
    const at = `${path}${path === "" ? "" : "."}${shown(name).slice(0, NAME_LENGTH_MAX)}`;
    const known = byName.get(name.toLowerCase());
    if (known === undefined) yield { path: at, name };
    else yield* unknownMembers(member, known, object, at);
  }
}

/** The schema itself, or that of its alternatives which has the keyword. */
function alternative(schema: JsonSchema, keyword: "items" | "properties"): JsonSchema {
  if (schema[keyword] !== undefined) return schema;
  return (
    [...(schema.oneOf ?? []), ...(schema.allOf ?? [])].find((each) => each[keyword] !== undefined) ?? schema
  );
}

function warningText(path: string, name: string, schema: JsonSchema): string {
  const place = placeOf(name.toLowerCase(), schema, "");
  const text = `${path}: there is no such member, it was not read`;
  return place === undefined ? text : `${text}; ${place.split(".").at(-1)} belongs into ${parentOf(place)}`;
}

function parentOf(path: string): string {
  return path.split(".").slice(0, -1).join(".") || "the object itself";
}

/** The path, without places in lists, of the first member of that name. */
function placeOf(name: string, schema: JsonSchema, path: string): string | undefined {
  const { items } = alternative(schema, "items");
  if (items !== undefined) return placeOf(name, items, path);
  const members = Object.entries(alternative(schema, "properties").properties ?? {});
  const at = (member: string): string => (path === "" ? member : `${path}.${member}`);
  const own = members.find(([member]) => member.toLowerCase() === name);
  if (own !== undefined) return at(own[0]);
  for (const [member, inner] of members) {
    const found = placeOf(name, inner, at(member));
    if (found !== undefined) return found;
  }
  return undefined;
}
