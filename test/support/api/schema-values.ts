import type { ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { JsonSchema } from "../../../src/route/body/json-schema.js";

/** Values that a schema of the API's description allows, and values that it forbids. */

const TEXT_LENGTH_MAX = 12;
const ITEMS_MAX = 3;

/** Values that fit the schema's parts; what its parts must be together is left to `allowed`. */
function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.type === undefined ? (schema.oneOf ?? schema.anyOf) : undefined;
  if (choices !== undefined) return fc.oneof(...choices.map(fitting));
  const types = [schema.type ?? (schema.allOf === undefined ? "string" : "object")].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  const { minimum: min = -1000, maximum: max = 1_000_000 } = schema;
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min, max });
    case "number":
      return fc.double({ min, max, noNaN: true });
    case "array":
      return fc.array(fitting(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX),
      });
    case "object":
      return ofObject(schema);
    default:
      return ofText(schema);
  }
}

function ofText({ pattern, minLength = 0, maxLength = TEXT_LENGTH_MAX }: JsonSchema): fc.Arbitrary<string> {
  if (pattern === undefined)
    return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, TEXT_LENGTH_MAX)) });
  return fc.stringMatching(new RegExp(pattern, "u"), { maxLength: 80 });
}

/** The members of all parts of the object; what `allOf` requires is there always. */
function ofObject(schema: JsonSchema): fc.Arbitrary<unknown> {
  const parts = [schema, ...(schema.allOf ?? [])];
  const members = new Map<string, JsonSchema>();
  for (const part of parts)
    for (const [name, member] of Object.entries(part.properties ?? {}))
      members.set(name, { ...members.get(name), ...member });
  const required = parts.flatMap((part) => part.required ?? []);
  const values = [...members].filter(([, member]) => member.readOnly !== true);
  return fc.record(Object.fromEntries(values.map(([name, member]) => [name, fitting(member)])), {
    requiredKeys: required,
  });
}

/** Values that the schema allows. */
export function allowed(schema: JsonSchema, check: ValidateFunction): fc.Arbitrary<unknown> {
  return fitting(schema).filter((value) => check(value));
}

/** What nothing but a text without rules takes. */
const STRANGE: readonly unknown[] = ["\u0007", "no such thing", -1e9, 1e300, 0.5, true, {}, [[]]];

/** Values with one member that makes the schema forbid them. */
export function forbidden(schema: JsonSchema, check: ValidateFunction): fc.Arbitrary<unknown> {
  const names = [schema, ...(schema.allOf ?? [])].flatMap((part) => Object.keys(part.properties ?? {}));
  return fc
    .tuple(allowed(schema, check), fc.constantFrom(...names), fc.constantFrom(...STRANGE))
    .map(([value, name, strange]) => ({ ...(value as Record<string, unknown>), [name]: strange }))
    .filter((value) => !check(value));
}
