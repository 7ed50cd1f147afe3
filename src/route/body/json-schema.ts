import type * as v from "valibot";
import { EMPTY_GUID } from "../../base/index.js";
import { GUID_PATTERN } from "../../contract/reading/index.js";

/** Schemas of bodies and answers for /openapi.json: JSON Schema 2020-12, as in OpenAPI 3.1. */

export interface JsonSchema {
  /** The name of an object that several routes use: it is described once. */
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** ECMAScript with the flag `u`, without property escapes: other languages read it too. */
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  /** Of which there are `minContains` to `maxContains`. */
  readonly contains?: JsonSchema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly $ref?: string;
}

export const TEXT: JsonSchema = { type: "string" };
const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f";
/** One line of text as XML 1.0 can hold it; a lone surrogate cannot be written in a pattern that all languages read. */
export const LINE_PATTERN = `^[^${CONTROLS}\\ufffe\\uffff]*$`;
/** The same with tabs and line breaks. */
export const LINES_PATTERN = `^(?:[^${CONTROLS}\\ufffe\\uffff]|[\\t\\n\\r])*$`;
export const FLAG: JsonSchema = { type: "boolean" };
export const NUMBER: JsonSchema = { type: "number" };
export const WHOLE: JsonSchema = { type: "integer" };
export const GUID: JsonSchema = { type: "string", format: "uuid", pattern: GUID_PATTERN };
/** GUIDs with commas between them, as a parameter names several. */
export function guidsWithCommas(countMax: number): JsonSchema {
  const guid = GUID_PATTERN.slice(1, -1);
  return { type: "string", pattern: `^${guid}(?:,${guid}){0,${countMax - 1}}$` };
}
/** ISO 8601, UTC, seven fraction digits. */
export const ISO_TIME: JsonSchema = { type: "string", format: "date-time" };

export function textUpTo(maxLength: number): JsonSchema {
  return { type: "string", maxLength };
}

/** Text without control characters. */
export function withoutControls(maxLength: number): JsonSchema {
  return { type: "string", maxLength, pattern: `^[^${CONTROLS}]*$` };
}

/** One line that a body may hold. */
export function lineUpTo(maxLength: number): JsonSchema {
  return { type: "string", maxLength, pattern: LINE_PATTERN };
}

/** Lines of text that a body may hold. */
export function linesUpTo(maxLength: number): JsonSchema {
  return { type: "string", maxLength, pattern: LINES_PATTERN };
}

export function range(minimum: number, maximum: number, type: "number" | "integer" = "number"): JsonSchema {
  return { type, minimum, maximum };
}

export function choice(values: readonly (string | number)[]): JsonSchema {
  return { type: typeof values[0] === "number" ? "integer" : "string", enum: values };
}

export function listOf(items: JsonSchema, maxItems?: number): JsonSchema {
  return { type: "array", items, ...(maxItems === undefined ? {} : { maxItems }) };
}

/** `required`: names that are always present; by default all. */
export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
): JsonSchema {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

/** An object that is described once, under its name. */
export function named(title: string, schema: JsonSchema): JsonSchema {
  return { ...schema, title };
}

/** The schema with a description. */
export function meaning(description: string, schema: JsonSchema): JsonSchema {
  return { ...schema, description };
}

/** The description of a member, or additional schema properties. */
export type Note = string | JsonSchema;

/**
 * The schema with notes on its members, by their paths: `Mail.Host`; list items do not appear in the path. Throws Error for an
 * unknown member.
 */
export function withNotes(schema: JsonSchema, notes: Readonly<Record<string, Note>>): JsonSchema {
  return Object.entries(notes).reduce(
    (noted, [path, note]) =>
      noteAt(noted, path.split("."), typeof note === "string" ? { description: note } : note),
    schema,
  );
}

function noteAt(schema: JsonSchema, path: readonly string[], note: JsonSchema): JsonSchema {
  const [name, ...rest] = path;
  if (name === undefined) return { ...schema, ...note };
  if (schema.items !== undefined) return { ...schema, items: noteAt(schema.items, path, note) };
  const member = schema.properties?.[name];
  if (member === undefined) throw new Error(`a note on ${name}, which is not in the schema`);
  return { ...schema, properties: { ...schema.properties, [name]: noteAt(member, rest, note) } };
}

/** An id that the server is to give: left out, null, empty or zeros. */
export const NO_ID: JsonSchema = { enum: [null, "", EMPTY_GUID] };
/** An id that stands for an object. */
export const SOME_ID: JsonSchema = { ...GUID, not: { const: EMPTY_GUID } };

/** The member is there, and has a value; null and an empty text count as left out. */
export function givenMember(name: string, value: JsonSchema = { type: "string", minLength: 1 }): JsonSchema {
  return { required: [name], properties: { [name]: value } };
}

/** What matches `condition` also matches `consequence`; what does not, `otherwise`. */
export function when(condition: JsonSchema, consequence: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  const rest = otherwise === undefined ? {} : { else: otherwise };
  // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word, and nobody awaits a schema.
  return { if: condition, then: consequence, ...rest };
}

/** The schema that also accepts null. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (schema.type === undefined) return schema;
  const types = [...new Set([schema.type, "null"].flat())];
  return { ...schema, type: types, ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }) };
}

/** What `typeof` says of JSON's values that have no parts. */
const JSON_TYPES: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

/**
 * Derives the schema from an example; null stands for anything, and `enums` adds the schemas of members. Throws Error for what
 * JSON has no value for.
 */
export function schemaOfValue(value: unknown, enums: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  if (Array.isArray(value))
    return value.length === 0 ? { type: "array" } : listOf(schemaOfValue(value[0], enums));
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]) => [
      name,
      enums[name] ?? schemaOfValue(member, enums),
    ]);
    return objectOf(Object.fromEntries(members), []);
  }
  if (value === null || value === undefined) return {};
  const type = typeof value;
  if (!JSON_TYPES.has(type)) throw new Error(`no JSON schema for an example with a ${type} in it`);
  return { type };
}

/** The part of a valibot schema or action used by the conversion. */
interface Part {
  /** Of \`v.metadata\`: what a check of the same pipe says in JSON Schema. */
  readonly metadata?: { readonly jsonSchema?: JsonSchema };
  readonly kind: string;
  readonly type: string;
  readonly message?: unknown;
  readonly requirement?: unknown;
  readonly pipe?: readonly Part[];
  readonly wrapped?: Part;
  readonly item?: Part;
  readonly entries?: Readonly<Record<string, Part>>;
  readonly options?: readonly (string | number)[];
  readonly literal?: unknown;
  readonly getter?: (input: unknown) => Part;
}

/**
 * The JSON schema of a valibot schema's input, for the kinds used in bodies of the configuration API. Throws Error for any
 * other kind, so that it is added here.
 */
export function schemaOfBody(schema: v.GenericSchema): JsonSchema {
  return convert(schema as unknown as Part, []);
}

function convert(part: Part, within: readonly Part[]): JsonSchema {
  if (part.pipe !== undefined) return convertPipe(part.pipe, within);
  switch (part.type) {
    case "unknown":
      return {};
    case "string":
      return withMessage(TEXT, part);
    case "number":
      return withMessage(NUMBER, part);
    case "boolean":
      return FLAG;
    case "picklist":
      return choice(part.options ?? []);
    case "array":
      return listOf(convert(wrappedOf(part.item), within));
    case "object":
    case "strict_object":
      return convertObject(part, within);
    case "optional":
      return convert(wrappedOf(part.wrapped), within);
    case "nullable":
    case "nullish":
      return orNull(convert(wrappedOf(part.wrapped), within));
    case "lazy": {
      const inner = wrappedOf(part.getter?.(undefined));
      // A recursive schema (folders): its members are already listed.
      const seen = within.includes(inner);
      return seen ? { type: "object", description: "the same again" } : convert(inner, [...within, inner]);
    }
    case "literal":
      return { const: part.literal };
    default:
      throw new Error(`no JSON schema for a value of kind ${part.type}`);
  }
}

function wrappedOf(part: Part | undefined): Part {
  if (part === undefined) throw new Error("a schema without its inner schema");
  return part;
}

function convertPipe(parts: readonly Part[], within: readonly Part[]): JsonSchema {
  let schema: JsonSchema = {};
  for (const part of parts) {
    if (part.kind === "schema" && (part.pipe !== undefined || part.type !== "unknown"))
      schema = convert(part, within);
    else if (part.kind === "validation") schema = withCheck(schema, part);
    else if (part.type === "metadata") schema = withMetadata(schema, part.metadata?.jsonSchema ?? {});
  }
  return schema;
}

/** A pattern of the metadata stands for those of all checks before it. */
function withMetadata({ allOf, ...schema }: JsonSchema, said: JsonSchema): JsonSchema {
  const kept = said.pattern !== undefined || allOf === undefined ? {} : { allOf };
  return { ...schema, ...kept, ...said };
}

function withCheck(schema: JsonSchema, part: Part): JsonSchema {
  const bound = part.requirement;
  if (part.type === "safe_integer" || part.type === "integer") return { ...schema, type: "integer" };
  if (bound instanceof RegExp) {
    const pattern = portablePattern(bound);
    return pattern === undefined ? withMessage(schema, part) : withPattern(schema, pattern);
  }
  if (typeof bound !== "number") return withMessage(schema, part);
  switch (part.type) {
    case "max_length":
      return { ...schema, [schema.type === "array" ? "maxItems" : "maxLength"]: bound };
    case "min_length":
      return { ...schema, [schema.type === "array" ? "minItems" : "minLength"]: bound };
    case "min_value":
      return { ...schema, minimum: bound };
    case "max_value":
      return { ...schema, maximum: bound };
    default:
      return withMessage(schema, part);
  }
}

/** The schema with one pattern more. */
function withPattern(schema: JsonSchema, pattern: string): JsonSchema {
  if (schema.pattern === undefined) return { ...schema, pattern };
  return { ...schema, allOf: [...(schema.allOf ?? []), { pattern }] };
}

/**
 * The source of a regular expression for readers in other languages, which have no escapes of properties: control characters
 * are listed, and surrogates left out. Undefined where it has other properties: the schema then has metadata behind the check.
 */
function portablePattern({ source, flags }: RegExp): string | undefined {
  const listed = source.replaceAll("\\p{Cc}", CONTROLS).replaceAll("\\p{Cs}", "");
  if (flags.replace("u", "") !== "") throw new Error(`a pattern has no flags: ${source}`);
  if (/\\p/i.test(listed)) return undefined;
  return listed.replace(/\\u(?:FFFE|FFFF)/g, (code) => code.toLowerCase());
}

/** Uses the check's message as description. */
function withMessage(schema: JsonSchema, { message }: Part): JsonSchema {
  const accepted = /^accepted: (.*)$/.exec(typeof message === "string" ? message : "")?.[1];
  if (accepted === "a GUID") return { ...schema, ...GUID };
  if (accepted === undefined || SAID_BY_TYPE.test(accepted)) return schema;
  return { ...schema, description: `${accepted.slice(0, 1).toUpperCase()}${accepted.slice(1)}.` };
}

/** Messages that only repeat the type and the limits. */
const SAID_BY_TYPE =
  /^(?:an object|a list|a text|text without|one line without|at most|a whole number|degrees|\d+ to \d+)/;

function convertObject(part: Part, within: readonly Part[]): JsonSchema {
  const entries = Object.entries(part.entries ?? {});
  const required = entries.filter(([, entry]) => !MAY_BE_ABSENT.has(entry.type)).map(([name]) => name);
  const properties = Object.fromEntries(entries.map(([name, entry]) => [name, convert(entry, within)]));
  const strict = part.type === "strict_object" ? { additionalProperties: false } : {};
  return { ...objectOf(properties, required), ...strict };
}

const MAY_BE_ABSENT = new Set(["optional", "nullish"]);
