import type { Description, Document, ListDescription, Scalar } from "./description.js";

export type AnswerFormat = "xml" | "json";

type Value = Scalar | Description | ListDescription;

/** The document's text in a format, from its first byte to its last. */
export function documentText(document: Document, format: AnswerFormat): string {
  let text = "";
  for (const part of documentTexts(document, format)) text += part;
  return text;
}

/**
 * The same in parts that are short, however long a list in it is. JSON is one line. XML 1.0 begins with its declaration, its lines end
 * with CRLF, two blanks indent a level.
 */
export function documentTexts(document: Document, format: AnswerFormat): Generator<string> {
  return format === "json"
    ? jsonTexts(document.content, document.jsonBlanks === true ? ": " : ":")
    : xmlTexts(document);
}

function isScalar(value: Value): value is Scalar {
  return value === null || typeof value !== "object";
}

function* jsonTexts(value: Value, colon: string): Generator<string> {
  if (isScalar(value)) yield JSON.stringify(value);
  else if ("items" in value) {
    let isFirst = true;
    for (const item of value.items) {
      yield isFirst ? "[" : ",";
      isFirst = false;
      yield* jsonTexts(item, colon);
    }
    yield isFirst ? "[]" : "]";
  } else yield* jsonObjectTexts(value, colon);
}

function* jsonObjectTexts({ members }: Description, colon: string): Generator<string> {
  let text = "";
  let before = "{";
  for (const { json, value } of members) {
    if (json === undefined) continue;
    text += `${before}${JSON.stringify(json)}${colon}`;
    before = ",";
    if (isScalar(value)) text += JSON.stringify(value);
    else {
      yield text;
      text = "";
      yield* jsonTexts(value, colon);
    }
  }
  yield `${text}${before === "{" ? "{" : ""}}`;
}

const LINE = "\r\n";

function* xmlTexts({ root, namespace, comment, content }: Document): Generator<string> {
  yield '<?xml version="1.0" encoding="utf-8"?>';
  yield* elementTexts(root, content, {
    indent: LINE,
    attributes: namespace === undefined ? "" : ` xmlns="${xmlText(namespace)}"`,
    last: comment === undefined ? "" : `${LINE}  <!--${comment}-->`,
  });
}

interface Around {
  /** Line break and blanks before the element. */
  readonly indent: string;
  /** Of the root. */
  readonly attributes?: string;
  /** What stands behind the other children. */
  readonly last?: string;
}

function* elementTexts(name: string, value: Value, around: Around): Generator<string> {
  const { indent, attributes = "", last = "" } = around;
  const begin = `${indent}<${name}${attributes}`;
  if (isScalar(value)) {
    const text = xmlText(value ?? "");
    yield text === "" ? `${begin}/>` : `${begin}>${text}</${name}>`;
    return;
  }
  yield begin;
  let isEmpty = true;
  const inside = `${indent}  `;
  for (const texts of "items" in value ? itemTexts(value, inside) : memberTexts(value, inside)) {
    if (typeof texts === "string") yield texts;
    else {
      if (isEmpty) yield ">";
      isEmpty = false;
      yield* texts;
    }
  }
  if (isEmpty && last === "") yield "/>";
  else yield `${isEmpty ? ">" : ""}${last}${indent}</${name}>`;
}

function* itemTexts({ itemName, items }: ListDescription, indent: string): Generator<Iterable<string>> {
  for (const item of items)
    if (isScalar(item)) yield [scalarElement(itemName, item, indent)];
    else yield elementTexts(itemName, item, { indent });
}

/** The attributes as one text, then each of the elements. */
function* memberTexts({ members }: Description, indent: string): Generator<string | Iterable<string>> {
  let attributes = "";
  for (const { xml, value, attribute } of members)
    if (attribute && xml !== undefined && value !== null && isScalar(value))
      attributes += ` ${xml}="${xmlText(value)}"`;
  yield attributes;
  for (const { xml, value, attribute } of members) {
    if (attribute || xml === undefined || value === null) continue;
    if (isScalar(value)) yield [scalarElement(xml, value, indent)];
    else yield elementTexts(xml, value, { indent });
  }
}

function scalarElement(name: string, value: Scalar, indent: string): string {
  const text = xmlText(value ?? "");
  return text === "" ? `${indent}<${name}/>` : `${indent}<${name}>${text}</${name}>`;
}

const SPECIAL = /[&<>"'\p{Cc}\ufffe\uffff]/u;
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" } as const;

/** XML 1.0 allows no control characters, and a line break would break programs that read lines by position. */
function xmlText(value: string | number | boolean): string {
  const text = String(value);
  if (typeof value !== "string" || !SPECIAL.test(text)) return text;
  return text
    .replace(/[\p{Cc}\ufffe\uffff]+/gu, " ")
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign as keyof typeof ENTITIES]);
}
