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
  readonly items: Iterable<Scalar | Description>;
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

export function list(itemName: string, items: Iterable<Scalar | Description>): ListDescription {
  return { itemName, items };
}

/** Items of a long list: each is described when its text is written, and not before. */
export function describedLater<T>(
  items: Iterable<T>,
  describe: (item: T) => Description,
): Iterable<Description> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) yield describe(item);
    },
  };
}

/** The document's JSON value. */
export function toJson(document: Document): unknown {
  return jsonValue(document.content);
}

function jsonValue(value: Scalar | Description | ListDescription): unknown {
  if (value === null || typeof value !== "object") return value;
  if ("items" in value) return Array.from(value.items, jsonValue);
  const out: Record<string, unknown> = {};
  for (const member of value.members) {
    if (member.json !== undefined) out[member.json] = jsonValue(member.value);
  }
  return out;
}
