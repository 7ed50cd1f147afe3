import { XMLBuilder } from "fast-xml-parser";

/** The description of an answer, from which both XML and JSON are generated, so that they differ only where it says so. */
export type Scalar = string | number | boolean | null;

export interface Member {
  /** Name in XML; undefined: JSON only. */
  readonly xml: string | undefined;
  /** Name in JSON; undefined: XML only. */
  readonly json: string | undefined;
  readonly value: Scalar | Description | ListDescription;
  /** Scalars: an attribute instead of an element. */
  readonly attribute: boolean;
}

export interface Description {
  readonly members: readonly Member[];
}

export interface ListDescription {
  /** XML name of each item. */
  readonly itemName: string;
  readonly items: readonly (Scalar | Description)[];
}

export interface Document {
  /** XML root element. */
  readonly root: string;
  /** Default XML namespace, if any. */
  readonly namespace?: string;
  /** A list as root: in JSON a bare list. A scalar: in JSON a bare value. */
  readonly content: Description | ListDescription | Scalar;
  /** One blank behind each colon of the JSON: programs read some answers by regular expressions that want it. */
  readonly jsonBlanks?: true;
  /** An XML comment before the end of the root. */
  readonly comment?: string;
}

interface Names {
  /** JSON name if it differs; null: not in JSON. */
  readonly json?: string | null;
}

function jsonName(xml: string, names: Names): string | undefined {
  return names.json === null ? undefined : (names.json ?? xml);
}

/** A scalar: an XML attribute (absent if null), a JSON member. */
export function attribute(name: string, value: Scalar, names: Names = {}): Member {
  return { xml: name, json: jsonName(name, names), value, attribute: true };
}

/** A scalar, object or list: an XML child element (absent if null), a JSON member. */
export function element(
  name: string,
  value: Scalar | Description | ListDescription,
  names: Names = {},
): Member {
  return { xml: name, json: jsonName(name, names), value, attribute: false };
}

/** A member only in JSON. */
export function jsonOnly(name: string, value: Scalar | Description | ListDescription): Member {
  return { xml: undefined, json: name, value, attribute: false };
}

export function object(...members: readonly Member[]): Description {
  return { members };
}

export function list(itemName: string, items: readonly (Scalar | Description)[]): ListDescription {
  return { itemName, items };
}

/** The document's JSON value. */
export function toJson(document: Document): unknown {
  return jsonValue(document.content);
}

/** JSON text of the document, in one line. */
export function toJsonText(document: Document): string {
  const value = toJson(document);
  if (document.jsonBlanks !== true) return JSON.stringify(value);
  // Indented text has the blanks, and its line breaks stand between members alone: within texts they are escaped.
  return JSON.stringify(value, null, 1).replace(/\n */g, "");
}

function jsonValue(value: Scalar | Description | ListDescription): unknown {
  if (value === null || typeof value !== "object") return value;
  if ("items" in value) return value.items.map(jsonValue);
  const out: Record<string, unknown> = {};
  for (const member of value.members) {
    if (member.json !== undefined) out[member.json] = jsonValue(member.value);
  }
  return out;
}

/** No element has this name. */
const COMMENT = "#comment";

/** Options measured for fast-xml-parser 5.12: the third keeps `Flag="true"` from becoming a bare `Flag`. */
const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  commentPropName: COMMENT,
  format: true,
  indentBy: "  ",
});

/** XML text of the document from its declaration on: lines end with CRLF, two blanks indent a level. */
export function toXml(document: Document): string {
  const content = xmlValue(document.content);
  const { namespace, comment } = document;
  const named =
    namespace === undefined && comment === undefined
      ? content
      : {
          ...(namespace === undefined ? {} : { "@xmlns": namespace }),
          ...asRecord(content),
          ...(comment === undefined ? {} : { [COMMENT]: comment }),
        };
  const lines: string = builder.build({
    "?xml": { "@version": "1.0", "@encoding": "utf-8" },
    [document.root]: named,
  });
  return lines.trimEnd().replaceAll("\n", "\r\n");
}

function asRecord(content: unknown): Record<string, unknown> {
  return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : {};
}

function xmlValue(value: Scalar | Description | ListDescription): unknown {
  if (value === null || typeof value !== "object") return xmlScalar(value);
  if ("items" in value)
    return value.items.length === 0 ? "" : { [value.itemName]: value.items.map(xmlValue) };
  const out: Record<string, unknown> = {};
  for (const member of value.members) {
    if (member.xml === undefined || member.value === null) continue;
    out[member.attribute ? `@${member.xml}` : member.xml] = xmlValue(member.value);
  }
  return Object.keys(out).length === 0 ? "" : out;
}

/** XML 1.0 allows no control characters, and a line break would break programs that read lines by position. */
function xmlScalar(value: Scalar): Scalar {
  return typeof value === "string" ? value.replace(/[\p{Cc}\ufffe\uffff]+/gu, " ") : value;
}
