import fc from "fast-check";
import { XMLBuilder } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import {
  attribute,
  type Description,
  type Document,
  element,
  jsonOnly,
  type ListDescription,
  list,
  type Member,
  object,
  type Scalar,
  toJson,
} from "../../src/route/answer/description.js";
import { documentText, documentTexts } from "../../src/route/answer/document-text.js";

type Value = Scalar | Description | ListDescription;

/** What others write of the same, to be held against ours. */
const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  commentPropName: "#comment",
  format: true,
  indentBy: "  ",
});

function builderValue(value: Value): unknown {
  if (typeof value === "string") return value.replace(/[\p{Cc}\ufffe\uffff]+/gu, " ");
  if (value === null || typeof value !== "object") return value;
  if ("items" in value) {
    const items = Array.from(value.items, builderValue);
    return items.length === 0 ? "" : { [value.itemName]: items };
  }
  const members = value.members.flatMap((member) =>
    member.xml === undefined || member.value === null
      ? []
      : [[member.attribute ? `@${member.xml}` : member.xml, builderValue(member.value)] as const],
  );
  return members.length === 0 ? "" : Object.fromEntries(members);
}

function builtXml({ root, namespace, comment, content }: Document): string {
  const value = builderValue(content);
  const children = typeof value === "object" && value !== null ? value : {};
  const named =
    namespace === undefined && comment === undefined
      ? value
      : {
          ...(namespace === undefined ? {} : { "@xmlns": namespace }),
          ...children,
          ...(comment === undefined ? {} : { "#comment": comment }),
        };
  const text: string = builder.build({ "?xml": { "@version": "1.0", "@encoding": "utf-8" }, [root]: named });
  return text.trimEnd().replaceAll("\n", "\r\n");
}

const scalars: fc.Arbitrary<Scalar> = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("&", "<", ">", '"', "'", " ", "\n", "Ж", "a") }),
  // The library writes zero below zero as -0; JSON and this project as 0.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
);

const { value: values } = fc.letrec<{ value: Value; member: Member; object: Description }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalars,
    tie("object"),
    fc.array(fc.oneof(scalars, tie("object"))).map((items) => list("Item", items)),
  ),
  object: fc
    .array(tie("member"), { maxLength: 6 })
    .map((members) => object(...members.map((member, at) => ({ ...member, ...named(member, at) })))),
  member: fc.oneof(
    fc.oneof(scalars, fc.constant(null)).map((value) => attribute("A", value)),
    fc.oneof(tie("value"), fc.constant(null)).map((value) => element("E", value, { json: null })),
    tie("value").map((value) => element("E", value)),
    tie("value").map((value) => jsonOnly("J", value)),
  ),
}));

/** Members of one object have different names. */
const named = ({ xml, json }: Member, at: number) => ({
  xml: xml === undefined ? undefined : `${xml}${at}`,
  json: json === undefined ? undefined : `${json}${at}`,
});

const documents: fc.Arbitrary<Document> = fc
  .tuple(values, fc.constantFrom({}, { comment: " c " }, { namespace: "urn:x" }))
  .filter(
    ([content, more]) => Object.keys(more).length === 0 || (typeof content === "object" && content !== null),
  )
  .map(([content, more]) => ({ root: "Root", content, ...more }));

describe("the text of a document", () => {
  it("is in XML what a library of XML writes", () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(documentText(document, "xml")).toBe(builtXml(document));
      }),
    );
  });

  it("is in JSON what the value is written as", () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(documentText(document, "json")).toBe(JSON.stringify(toJson(document)));
      }),
    );
  });

  it("has one blank behind each colon of JSON where programs want it", () => {
    fc.assert(
      fc.property(documents, (document) => {
        const indented = JSON.stringify(toJson(document), null, 1).replace(/\n */g, "");
        expect(documentText({ ...document, jsonBlanks: true }, "json")).toBe(indented);
      }),
    );
  });

  it("comes in short parts, however long a list is, and nothing of it is described before", () => {
    let described = 0;
    const items = {
      *[Symbol.iterator]() {
        for (; described < 10_000; described += 1) yield object(element("Id", described));
      },
    };
    const content = object(element("Items", list("Item", items)));
    for (const format of ["xml", "json"] as const) {
      described = 0;
      const texts = documentTexts({ root: "Root", content }, format);
      for (let part = 0; part < 20; part += 1) expect(texts.next().value?.length).toBeLessThan(100);
      expect(described).toBeLessThan(20);
    }
  });
});
