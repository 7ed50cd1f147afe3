/** JSON schemas of an OpenAPI document in words and tables. */
import { anchorOf, table } from "./markdown.mjs";

const NAMED = "#/components/schemas/";
/** What formats are called. */
const FORMATS = {
  uuid: "GUID",
  "date-time": "ISO 8601 time",
  "nvrd-time": "[time](#times)",
  "nvrd-guid": "GUID",
  base64: "Base64",
  binary: "bytes",
};

function headingOf(name) {
  return `The object ${name}`;
}

/** What a value of the schema is, in a few words. */
export function schemaText(schema) {
  if (schema.$ref !== undefined) return nameText(schema.$ref.slice(NAMED.length));
  const named = (schema.allOf ?? []).filter((each) => each.$ref !== undefined);
  if (named.length > 0) return named.map((each) => schemaText(each)).join(" and ");
  if (schema.oneOf !== undefined) return schema.oneOf.map((each) => schemaText(each)).join(", or ");
  if (schema.enum !== undefined) return enumText(schema);
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return "any JSON";
  const texts = types.filter((type) => type !== "null").map((type) => typeText(type, schema));
  return [...new Set(texts), ...(types.includes("null") ? ["null"] : [])].filter(Boolean).join(" or ");
}

function nameText(name) {
  return `[${name}](#${anchorOf(headingOf(name))})`;
}

function enumText({ enum: values }) {
  return values.map((value) => (value === null ? "null" : `\`${value}\``)).join(", ");
}

function typeText(type, schema) {
  switch (type) {
    case "string":
      return textText(schema);
    case "integer":
    case "number":
      return numberText(type, schema);
    case "boolean":
      return "boolean";
    case "array":
      return `list${schema.maxItems === undefined ? "" : ` (at most ${schema.maxItems})`}${ofItems(schema)}`;
    default:
      return type;
  }
}

function ofItems({ items }) {
  if (items === undefined) return "";
  const isBare = isInline(items) || (items.type === "object" && items.allOf === undefined);
  return isBare ? " of objects" : ` of ${schemaText(items)}`;
}

function textText({ format, maxLength, minimum }) {
  // A number that may also be text has its bounds as a number.
  if (minimum !== undefined) return "text";
  const name = FORMATS[format] ?? format ?? "text";
  return maxLength === undefined || format === "binary" ? name : `${name} (up to ${maxLength} characters)`;
}

/** A bound that only keeps a number within what is read says nothing to people. */
const LIKE_NO_BOUND = 900_000;

function numberText(type, { minimum, maximum }) {
  const noun = type === "integer" ? "whole number" : "number";
  if (minimum !== undefined && maximum !== undefined && maximum < LIKE_NO_BOUND)
    return `${noun} (${minimum} to ${maximum})`;
  return minimum === undefined ? noun : `${noun} (from ${minimum})`;
}

/** Whether the schema's members are rows in the table of the object that contains it. */
function isInline(schema) {
  return schema.$ref === undefined && schema.properties !== undefined;
}

/** Tables of members. A named schema has a table of its own, once, after the section that uses it first. */
export class SchemaTables {
  #schemas;
  #waiting = [];
  #named = new Set();
  /** Named schemas of bodies, where null means absent. */
  #ofBodies = new Set();

  /** `bodies`: the schemas of all bodies. */
  constructor(schemas, bodies) {
    this.#schemas = schemas;
    for (const schema of bodies) this.#namesIn(schema, this.#ofBodies);
  }

  /** The members of a body or an answer, where they have no name; "" if there is nothing to say. */
  inline(schema, { isBody = false }) {
    this.#waiting.push(...this.#namesIn(schema, this.#named));
    const whole = schema.type === "array" ? schema.items : schema;
    if (whole === undefined || !isInline(whole)) return "";
    return this.#table(whole, isBody);
  }

  /** The tables of the named schemas that were used since, with headings. */
  takeNamed() {
    const parts = [];
    for (let name = this.#waiting.shift(); name !== undefined; name = this.#waiting.shift()) {
      const schema = this.#schemas[name];
      const { description } = schema;
      parts.push(`#### ${headingOf(name)}`);
      if (description !== undefined) parts.push(description);
      parts.push(this.#table(schema, this.#ofBodies.has(name)));
    }
    return parts;
  }

  /** The named schemas within that are not in `seen` yet, in the order of reading; they are from now on. */
  #namesIn(schema, seen) {
    const name = schema.$ref?.slice(NAMED.length);
    if (name !== undefined) {
      if (seen.has(name)) return [];
      seen.add(name);
      return [name, ...this.#namesIn(this.#schemas[name], seen)];
    }
    const { items = [], allOf = [], oneOf = [], properties = {} } = schema;
    return [items, allOf, oneOf, Object.values(properties)]
      .flat()
      .flatMap((each) => this.#namesIn(each, seen));
  }

  #table(schema, isBody) {
    const rows = joined(rowsOf(schema, "", isBody));
    const heads = ["member", isBody ? "values" : "type", "default", "meaning"];
    return withoutEmpty(heads, rows);
  }
}

/** Merges consecutive rows with the same cells; the beginning that their names share is written once. */
function joined(rows) {
  const out = [];
  for (const [path, ...rest] of rows) {
    const before = out.at(-1);
    if (before?.rest.every((cell, index) => cell === rest[index])) before.paths.push(path);
    else out.push({ paths: [path], rest });
  }
  return out.map(({ paths, rest }) => [paths.map(shortened).join(", "), ...rest]);
}

function shortened(path, index, paths) {
  const parent = (each) => each.slice(0, each.lastIndexOf(".") + 1);
  const isSame = index > 0 && parent(path) !== "" && parent(path) === parent(paths[index - 1]);
  return isSame ? `\`${path.slice(parent(path).length - 1)}\`` : `\`${path}\``;
}

/** Columns that are empty throughout are left out. */
function withoutEmpty(heads, rows) {
  const kept = heads.map((_head, index) => rows.some((row) => row[index] !== ""));
  const of = (cells) => cells.filter((_cell, index) => kept[index]);
  return table(of(heads), rows.map(of));
}

function rowsOf({ properties = {}, required = [] }, prefix, isBody) {
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = prefix + name;
    const inner = member.type === "array" || [member.type].flat().includes("array") ? member.items : member;
    const mark = isBody && required.includes(name) ? "required" : defaultText(member);
    const row = [path, shownText(member, isBody), mark, member.description ?? itemsText(member)];
    if (inner === undefined || !isInline(inner)) return [row];
    return [row, ...rowsOf(inner, `${path}${inner === member ? "" : "[]"}.`, isBody)];
  });
}

/** The only member of an answer, in words; "" when a table says more. */
export function briefMember(schema) {
  if (schema.type !== "object" || !isInline(schema)) return "";
  const [[name, member], ...others] = Object.entries(schema.properties);
  const inner = member.items ?? member;
  const isBrief = others.length === 0 && member.description === undefined && !isInline(inner);
  return isBrief ? `\`${name}\`: ${schemaText(member)}` : "";
}

/** In a body, null means absent unless the description says otherwise. */
function shownText(member, isBody) {
  const text = schemaText(member);
  return isBody ? text.replace(/(?: or|,) null$/, "") : text;
}

function itemsText({ items }) {
  return items?.description ?? "";
}

/** The default as code; "" without one. */
export function defaultText(schema) {
  return schema.default === undefined ? "" : `\`${schema.default}\``;
}
