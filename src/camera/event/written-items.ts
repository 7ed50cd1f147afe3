import { clean, type XmlElement } from "../xml/xml-element.js";

/** Items that are read from one part of a message. */
const ITEMS_MAX = 32;
/** Longest value of an item, in characters: some makers put a whole text in JSON into one. */
const VALUE_LENGTH_MAX = 4096;

/** Of an element in the place of a value: how deep it is read, and which of its texts are. */
const ELEMENT_DEPTH_MAX = 8;
const WRITTEN_WITHIN = /(?:type|types|class|label|category|kind|state|active|platenumber)$/i;

/** Names of items that may come several times. */
const SEVERAL = /class|type|object|label|target/i;

type Item = readonly [name: string, value: string];

/** The items of a message's source, key or data by name, whatever way they are written. */
export function itemsOf(message: XmlElement, part: string): Map<string, string> {
  const element = message.child(part);
  const simple = element?.children("SimpleItem").slice(0, ITEMS_MAX) ?? [];
  const items = simple.map((item): Item => [written(item, "Name"), written(item, "Value") || ownText(item)]);
  for (const item of element?.children("ElementItem").slice(0, ITEMS_MAX) ?? [])
    items.push(...ofElement(item, written(item, "Name")));
  const values = new Map<string, string>();
  for (const [name, value] of items.slice(0, ITEMS_MAX)) {
    const before = values.get(name);
    // A list may be an item for each of its members.
    const isListed = before !== undefined && SEVERAL.test(name);
    values.set(name, isListed ? `${before},${value}`.slice(0, VALUE_LENGTH_MAX) : value);
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
