import fc from "fast-check";
import { XMLParser } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { type XmlElement, XmlError } from "../../../src/camera/index.js";
import { escapeXml } from "../../../src/camera/soap/soap-envelope.js";
import { envelope } from "../../support/camera/onvif-camera-soap.js";
import { parseXml } from "../../support/camera/parse-xml.js";

const parse = (text: string) => parseXml(Buffer.from(text));
const ANSWER =
  '<tds:GetDeviceInformationResponse><tds:Model tt:a="1">P3265 &amp; &lt;co&gt;</tds:Model></tds:GetDeviceInformationResponse>';

interface PlainTree {
  readonly text: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Readonly<Record<string, readonly PlainTree[]>>;
}

function plainTree(element: XmlElement): PlainTree {
  const attributes = ["e", "g"].map((name) => [name, element.attribute(name)] as const);
  const children = element.childNames.map((name) => [name, element.children(name).map(plainTree)] as const);
  return {
    text: element.rawText,
    attributes: Object.fromEntries(attributes.filter(([, value]) => value !== "")),
    children: Object.fromEntries(children),
  };
}

/** The same of what fast-xml-parser answers. */
function otherTree(node: unknown): PlainTree {
  if (typeof node !== "object" || node === null)
    return { text: String(node).trim(), attributes: {}, children: {} };
  const entries = Object.entries(node);
  const attributes = entries
    .filter(([name, value]) => name.startsWith("@") && String(value).trim() !== "")
    .map(([name, value]) => [name.slice(1), String(value).trim()] as const);
  const children = entries
    .filter(([name]) => !name.startsWith("@") && name !== "#text")
    .map(([name, value]) => [name, (Array.isArray(value) ? value : [value]).map(otherTree)] as const);
  const text = String(entries.find(([name]) => name === "#text")?.[1] ?? "").trim();
  return { text, attributes: Object.fromEntries(attributes), children: Object.fromEntries(children) };
}

describe("a device's XML", () => {
  const GBK = Buffer.from("b4f3c3c5c9e3cff1cdb7", "hex");
  const CYRILLIC = Buffer.from("caeee2e5f020e4e2e5f0fc", "hex");
  it.each([
    ["GBK as it declares", '<?xml version="1.0" encoding="GBK"?>', GBK, "大门摄像头"],
    ["GBK by a name of Windows", '<?xml version="1.0" encoding = "cp936"?>', GBK, "大门摄像头"],
    ["GBK declared as UTF-8", '<?xml version="1.0" encoding="UTF-8"?>', GBK, "大门摄像头"],
    ["GBK without a declaration", "", GBK, "大门摄像头"],
    ["Windows-1251 declared as UTF-8", '<?xml version="1.0" encoding="utf-8"?>', CYRILLIC, "Ковер дверь"],
    [
      "Latin-1 declared as UTF-8",
      '<?xml encoding="UTF-8"?>',
      Buffer.from("Caf\xe9 Entr\xe9e", "latin1"),
      "Café Entrée",
    ],
    ["UTF-8 declared as nothing known", '<?xml encoding="x-own"?>', Buffer.from("Дверь"), "Дверь"],
    ["UTF-8 cut within a letter", "", Buffer.from("Входная дверь").subarray(0, 24), "Входная двер\ufffd"],
  ])("is read in the encoding that it has: %s", (_, declaration, name, expected) => {
    const document = Buffer.concat([Buffer.from(`${declaration}<a>`), name, Buffer.from("</a>")]);
    expect(parseXml(document).text("a")).toBe(expected);
  });

  it.each(["SOAP-ENV", "s", "env", "default", "numbered"] as const)("is read by local names: %s", (style) => {
    const response = parse(envelope(ANSWER, style)).at("Envelope", "Body", "GetDeviceInformationResponse");
    expect(response?.text("Model")).toBe("P3265 & <co>");
    expect(response?.child("Model")?.attribute("a")).toBe("1");
  });

  it.each([
    ["a bare ampersand", "<a>rtsp://h/?x=1&y=2&amp;z=3&copy=4</a>", "rtsp://h/?x=1&y=2&z=3&copy=4"],
    ["character references", "<a>&#65;&#x42;&amp;#67;&nbsp;</a>", "AB&#67;&nbsp;"],
    ["CDATA", "<a><![CDATA[<b>&amp;]]></a>", "<b>&amp;"],
    ["numbers that must stay text", "<a>007</a>", "007"],
    ["comments", "<!-- <x> --><a>1<!-- > -->2</a>", "12"],
    ["control characters", "<a>one\ntwo\t</a>", "one two"],
    ["a long text, cut", `<a>${"x".repeat(5000)}</a>`, "x".repeat(256)],
  ])("holds %s", (_, text, expected) => {
    expect(parse(text).text("a")).toBe(expected);
  });

  it("in UTF-16 and Latin-1 is read as such", () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("<a>Süd</a>", "utf16le")]);
    expect(parseXml(utf16).text("a")).toBe("Süd");
    expect(parseXml(Buffer.from("<a>Süd</a>", "latin1"), "iso-8859-1").text("a")).toBe("Süd");
    expect(parseXml(Buffer.from('<?xml version="1.0" encoding="x-none"?><a>Süd</a>')).text("a")).toBe("Süd");
  });

  const declared = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?>`;
  it.each([
    ["UTF-16 without a byte order mark", Buffer.from(`${declared("UTF-16")}<a>Süd</a>`, "utf16le"), "Süd"],
    ["UTF-16 the other way", Buffer.from(`${declared("UTF-16")}<a>Süd</a>`, "utf16le").swap16(), "Süd"],
    ["UTF-8 that is declared as ASCII", Buffer.from(`${declared("us-ascii")}<a>Süd</a>`), "Süd"],
    ["UTF-8 that is declared as Latin-1", Buffer.from(`${declared("ISO-8859-1")}<a>Камера</a>`), "Камера"],
    [
      "UTF-8 that is declared as Windows-1251",
      Buffer.from(`${declared("windows-1251")}<a>Камера</a>`),
      "Камера",
    ],
    ["UTF-8 that is declared as GBK, and could be", Buffer.from(`${declared("GBK")}<a>摄像</a>`), "摄像"],
    [
      "GBK that could be UTF-8",
      Buffer.concat([Buffer.from(`${declared("GBK")}<a>`), Buffer.from([0xc5, 0xa3]), Buffer.from("</a>")]),
      "牛",
    ],
    [
      "Windows-1251",
      Buffer.concat([
        Buffer.from(`${declared("windows-1251")}<a>`),
        Buffer.from([0xc4, 0xe2, 0xee, 0xf0]),
        Buffer.from("</a>"),
      ]),
      "Двор",
    ],
  ])("in %s is read as such", (_, bytes, text) => {
    expect(parseXml(bytes).text("a")).toBe(text);
  });

  it.each([
    ["a document type", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ["a document type in the middle", "<a><!DOCTYPE b></a>"],
    ["a missing end", "<a><b></b>"],
    ["ends that do not match", "<a><b></a></b>"],
    ["an open tag at the end", "<a><b"],
    ["an open comment", "<a><!-- </a>"],
    ["depth", `${"<a>".repeat(65)}${"</a>".repeat(65)}`],
    ["too many elements", `<a>${"<b/>".repeat(50_001)}</a>`],
    ["too many attributes", `<a>${'<b a="" c="" d="" e="" f="" g="" h=""/>'.repeat(3000)}</a>`],
    ["too many comments", `<a>${"<!---->".repeat(5001)}</a>`],
    ["too many names", `<a>${Array.from({ length: 2050 }, (_, n) => `<b${n}/>`).join("")}</a>`],
    ["an overlong name", `<${"a".repeat(257)}/>`],
    ["two outermost elements", "<a/><b/>"],
    ["text behind its end", "<a></a>b"],
    ["an attribute without a value", "<a b/>"],
    ["an attribute without quotes", "<a b=c/>"],
    ["attributes that touch", '<a b="c"d="e"/>'],
    ["an overlong tag", `<a b="${"c".repeat(9000)}"/>`],
    ["no XML", "HTTP/1.1 200 OK"],
    ["nothing", ""],
  ])("is refused for %s", (_, text) => {
    expect(() => parse(text)).toThrow(XmlError);
  });

  it.each(["__proto__", "constructor", "prototype"])("with the name %s is nothing special", (name) => {
    const document = parse(`<a><${name}><polluted>1</polluted></${name}></a>`);
    expect(document.text("a", name, "polluted")).toBe("1");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(parse("<a><b/></a>").child("a")?.child("hasOwnProperty")).toBeUndefined();
  });

  it("means the same as to another parser", () => {
    const name = fc.constantFrom("a", "b:c", "d");
    const value = fc.string({
      unit: fc.constantFrom("x", " ", ">", "/", "=", "?", "-", "]", "ü", "&amp;", "&#66;"),
    });
    const text = value.map((drawn) => drawn.trim());
    const piece = fc.oneof(
      text,
      text.map((inner) => `<!--${inner.replaceAll("-", "")}-->`),
      text.map((inner) => `<![CDATA[${inner.replaceAll("]", "")}]]>`),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc
        .tuple(
          name,
          fc.array(fc.tuple(fc.constantFrom("e", "f:g"), value), { maxLength: 1 }),
          fc.oneof(piece, tie("children")),
        )
        .map(
          ([tag, attributes, inner]) =>
            `<${tag}${attributes.map(([key, held]) => ` ${key} = "${held}"`).join("")}>${inner}</${tag} >`,
        ),
      children: fc.array(tie("tree"), { maxLength: 3 }).map((parts) => parts.join("\n")),
    }));
    const other = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: "@",
      removeNSPrefix: true,
      parseTagValue: false,
      htmlEntities: true,
    });
    fc.assert(
      fc.property(tree, (drawn) => {
        const text = String(drawn);
        expect(plainTree(parse(text))).toEqual(otherTree(other.parse(text)));
      }),
      { numRuns: 300 },
    );
  });

  it("of any kind is either read or refused", () => {
    const pieces = [
      "<a>",
      "</a>",
      "<b c='d'>",
      "</b>",
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "<!DOCTYPE",
      "&",
      "&#0;",
      "<?x",
      "?>",
      "\u0000",
      "ü",
    ];
    const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 30 });
    fc.assert(
      fc.property(text, (parts) => {
        try {
          parse(parts.join(""));
        } catch (error) {
          expect(error).toBeInstanceOf(XmlError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("gives back any text that was escaped into it", () => {
    const printable = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(printable, (text) => {
        const expected = text.replace(/\p{Cc}+/gu, "").trim();
        expect(parse(`<a>${escapeXml(text)}</a>`).text("a")).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});
