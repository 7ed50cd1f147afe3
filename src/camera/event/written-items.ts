import { clean, type XmlElement } from "../xml/xml-element.js";

/** Items that are read from one part of a message. */
const ITEMS_MAX = 32;
/** Longest value of an item, in characters: some makers put a whole text in JSON into one. */
const VALUE_LENGTH_MAX = 4096;

/** Of an element in the place of a value: how deep it is read, and which of its texts are. */
const ELEMENT_DEPTH_MAX = 8;
const WRITTEN_WITHIN = /(?:type|types|class|label|category|kind|state|active|platenumber)$|^is[A-Z]/i;

/** Names of items that may come several times. */
const SEVERAL = /class|type|object|label|target/i;

type Item = readonly [name: string, value: string];

/** Parts of a message, by their names in lower case. */
const PARTS: ReadonlyMap<string, Part> = new Map([
  ["source", "source"],
  ["key", "source"],
  ["data", "data"],
]);
/** Some name the items of a message as they name those of its description. */
const SIMPLE: ReadonlySet<string> = new Set(["simpleitem", "simpleitemdescription"]);
/** Elements of a message that are looked at for items, and how deep they are. */
const ELEMENTS_MAX = 256;
const PARTS_DEPTH_MAX = 6;

type Part = "source" | "data";

/** What a message says: where, in its source and key, and what. By name. */
export type MessageItems = Readonly<Record<Part, ReadonlyMap<string, string>>>;

/**
 * The items of a message, whatever way they are written: parts in other elements or within each other, several times, or
 * none around the items.
 */
export function itemsOf(message: XmlElement): MessageItems {
  const items: Record<Part, Item[]> = { source: [], data: [] };
  let left = ELEMENTS_MAX;
  const walk = (parent: XmlElement, part: Part, depth: number): void => {
    for (const [tag, element] of parent.elements()) {
      if (left === 0) return;
      left -= 1;
      const name = tag.toLowerCase();
      const found = items[part];
      if (SIMPLE.has(name))
        found.push([written(element, "Name"), written(element, "Value") || ownText(element)]);
      else if (name === "elementitem") found.push(...ofElement(element, written(element, "Name")));
      else if (depth > 0) walk(element, PARTS.get(name) ?? part, depth - 1);
    }
  };
  walk(message, "data", PARTS_DEPTH_MAX);
  return { source: byName(items.source), data: byName(items.data) };
}

function byName(items: readonly Item[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of items.slice(0, ITEMS_MAX)) {
    // Items without a name are told apart by their place.
    const own = name === "" && values.has("") ? `#${values.size}` : name;
    const before = values.get(own);
    // A list may be an item for each of its members.
    const isListed = before !== undefined && SEVERAL.test(own);
    values.set(own, isListed ? `${before},${value}`.slice(0, VALUE_LENGTH_MAX) : value);
  }
  return values;
}

/** An attribute by ONVIF Core; some write it in lower case, and some as an element. */
function written(item: XmlElement, name: "Name" | "Value"): string {
  for (const spelling of [name, name.toLowerCase()]) {
    const value = item.attribute(spelling, VALUE_LENGTH_MAX) || textOf(item.child(spelling));
    if (value !== "") return value;
  }
  return "";
}

/** The text of an item that has nothing else within. */
function ownText(item: XmlElement): string {
  return item.childNames.length === 0 ? textOf(item) : "";
}

function textOf(element: XmlElement | undefined): string {
  return clean(element?.rawText ?? "").slice(0, VALUE_LENGTH_MAX);
}

/** An element in the place of a value: a value all the same, or what is written within it. */
function ofElement(item: XmlElement, name: string): readonly Item[] {
  const children = [...item.elements()];
  const [[, only] = []] = children;
  const isSimple = children.length === 1 && only?.childNames.length === 0;
  const value = written(item, "Value") || (isSimple ? textOf(only) : ownText(item));
  return value === "" ? textsIn(item, name, ELEMENT_DEPTH_MAX) : [[name, value]];
}

/** What is written within an element, as items: `Object.Type` for the class of an object, however deep it is. */
function textsIn(element: XmlElement, name: string, depth: number): Item[] {
  const found: Item[] = [];
  for (const [tag, child] of element.elements()) {
    if (found.length >= ITEMS_MAX || depth === 0) break;
    if (WRITTEN_WITHIN.test(tag) && child.childNames.length === 0) {
      const value = child.text();
      if (value !== "") found.push([`${name}.${tag}`, value]);
    } else found.push(...textsIn(child, name, depth - 1));
  }
  return found;
}
