import { describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { BodyReader, Faults } from "../../../src/route/body/body-reader.js";

/** What is read of a body, and what is at fault in it. */
function read<T>(body: unknown, member: (reader: BodyReader) => T): readonly [T, string] {
  const faults = new Faults();
  const value = member(new BodyReader(body, "", faults));
  return [value, refusal(faults)?.message ?? ""];
}

function refusal(faults: Faults): NvrdError | undefined {
  try {
    faults.throwIfAny();
    return undefined;
  } catch (error) {
    if (error instanceof NvrdError) return error;
    throw error;
  }
}

const COLOURS = ["Red", "Green", "Blue"] as const;

describe("a member of a body", () => {
  it.each([
    ["a text", "abc", "abc", ""],
    ["a text that is too long", "abcd", undefined, "A: at most 3 characters"],
    ["a number in the place of a text", 7, undefined, "A: must be a text"],
    ["a line break in a line", "a\nb", undefined, "A: must not have control characters"],
    ["half a character", "a\ud800", undefined, "A: must not have broken characters"],
    ["a character that XML does not allow", "a\uffff", undefined, "A: must not have broken characters"],
    ["null in the place of a text", null, undefined, ""],
  ])("as a line of text: %s", (_name, value, expected, fault) => {
    expect(read({ A: value }, (body) => body.text("A", 3))).toEqual([expected, fault]);
  });

  it("as lines of text may have tabs and breaks, and no other control characters", () => {
    const lines = (value: string) => read({ A: value }, (body) => body.lines("A", 5));
    expect(lines("a\tb\r\n")).toEqual(["a\tb\r\n", ""]);
    expect(lines("a\u0007")).toEqual([undefined, "A: must not have control characters"]);
    expect(lines("abcdef")).toEqual([undefined, "A: at most 5 characters"]);
  });

  it("as JSON is one line, however it was sent", () => {
    const json = (value: unknown, lengthMax = 12) => read({ A: value }, (body) => body.json("A", lengthMax));
    expect(json({ b: [1, 2] })).toEqual(['{"b":[1,2]}', ""]);
    expect(json("\u007f\ufffe")).toEqual([undefined, "A: at most 12 characters of JSON"]);
    expect(json("\u007f\ufffe", 14)).toEqual(['"\\u007f\\ufffe"', ""]);
    expect(json(null)).toEqual([undefined, ""]);
  });

  it("as a number is within its bounds, and 0 has no sign", () => {
    const number = (value: unknown) => read({ A: value }, (body) => body.number("A", -1, 2));
    for (const value of [-1, 0.5, 2]) expect(number(value)).toEqual([value, ""]);
    for (const value of [-1.1, 2.1, "1", true]) expect(number(value)).toEqual([undefined, "A: -1 to 2"]);
    expect(Object.is(number(-0)[0], 0)).toBe(true);
    expect(read({ A: 1.5 }, (body) => body.integer("A", 0, 2))).toEqual([
      undefined,
      "A: must be a whole number",
    ]);
    expect(read({ A: 3.5 }, (body) => body.integer("A", 0, 2))).toEqual([undefined, "A: 0 to 2"]);
  });

  it("as a switch is true or false", () => {
    expect(read({ A: false }, (body) => body.boolean("A"))).toEqual([false, ""]);
    expect(read({ A: "false" }, (body) => body.boolean("A"))).toEqual([undefined, "A: true or false"]);
  });

  it("as one of several words is spelled as these are", () => {
    const one = (value: unknown) => read({ A: value }, (body) => body.oneOf("A", COLOURS));
    expect(one("gREEN")).toEqual(["Green", ""]);
    expect(one("grey")).toEqual([undefined, "A: one of Red, Green, Blue"]);
    expect(one(1)).toEqual([undefined, "A: one of Red, Green, Blue"]);
  });

  it("as a list of words has each once, in the order of the words", () => {
    const list = (value: unknown) => read({ A: value }, (body) => body.listOf("A", COLOURS));
    const fault = "A: a list of Red, Green, Blue, each once";
    expect(list(["blue", "RED"])).toEqual([["Red", "Blue"], ""]);
    expect(list([])).toEqual([[], ""]);
    for (const value of [["Red", "red"], ["Red", "Grey"], ["Red", 1], "Red", Array(9).fill("Red")])
      expect(list(value)).toEqual([undefined, fault]);
  });

  it("is found in whatever case, and named as it was asked for", () => {
    expect(read({ aBc: 7 }, (body) => body.number("Abc", 0, 9))).toEqual([7, ""]);
    expect(read({ aBc: 10 }, (body) => body.number("Abc", 0, 9))).toEqual([undefined, "Abc: 0 to 9"]);
  });

  it("that is given twice contradicts itself once, unless both are equal", () => {
    expect(read({ A: [1], a: [1] }, (body) => body.value("A"))).toEqual([[1], ""]);
    const twice = read({ A: 1, a: 2 }, (body) => [body.number("A", 0, 9), body.number("a", 0, 9)]);
    expect(twice).toEqual([[1, 1], "A: contradicts a"]);
  });

  it("tells null from nothing", () => {
    expect(read({ A: null }, (body) => [body.isNull("A"), body.isNull("B"), body.value("A")])).toEqual([
      [true, false, undefined],
      "",
    ]);
  });
});

describe("an object in a body", () => {
  it("may have its members on the object around it, under joined names, and faults name these", () => {
    const place = (body: unknown) =>
      read(body, (reader) => {
        const child = reader.child("Map", ["X", "Y"]);
        return [child.number("X", 0, 9), child.number("Y", 0, 9)];
      });
    expect(place({ Map: { X: 1 }, MapY: 2 })).toEqual([[1, 2], ""]);
    expect(place({ Map: { X: 10 }, MapY: 20 })).toEqual([
      [undefined, undefined],
      "Map.X: 0 to 9; MapY: 0 to 9",
    ]);
    expect(place({ Map: { X: 1 }, MapX: 2 })).toEqual([[1, undefined], "Map.X: contradicts MapX"]);
    expect(place({ Map: [1] })).toEqual([[undefined, undefined], "Map: must be an object"]);
  });

  it("of a list has its place in its path", () => {
    const all = (value: unknown) =>
      read({ A: value }, (body) => body.children("A", 2).map((child) => child.number("X", 0, 9)));
    expect(all([{ X: 1 }, { X: 2 }])).toEqual([[1, 2], ""]);
    expect(all([{ X: 1 }, { X: 20 }])).toEqual([[1, undefined], "A[1].X: 0 to 9"]);
    expect(all([{}, {}, {}])).toEqual([[], "A: a list of at most 2 objects"]);
    expect(all("x")).toEqual([[], "A: a list of at most 2 objects"]);
    expect(all(null)).toEqual([[], ""]);
  });
});

describe("faults of a body", () => {
  it.each([
    [["NOT_FOUND", "CONFLICT", "BAD_REQUEST"], "BAD_REQUEST", ""],
    [["NOT_FOUND", "CONFLICT"], "CONFLICT", ""],
    [["NOT_FOUND"], "NOT_FOUND", undefined],
  ] as const)("%s are %s together", (codes, code, hint) => {
    const faults = new Faults();
    for (const one of codes) faults.add("", `is ${one}`, one);
    expect(faults.isEmpty).toBe(false);
    expect(refusal(faults)).toMatchObject({ code, message: codes.map((one) => `is ${one}`).join("; ") });
    expect(refusal(faults)?.hint === "").toBe(hint === "");
  });

  it("are named up to twenty, and counted beyond that", () => {
    const faults = new Faults();
    expect(faults.isEmpty).toBe(true);
    for (let at = 0; at < 23; at++) faults.add(`[${at}]`, "x");
    const text = refusal(faults)?.message ?? "";
    expect(text).toMatch(/^\[0\]: x; .*\[19\]: x; and 3 more$/);
  });

  it("are none where it is only warned, twenty times at most", () => {
    const faults = new Faults();
    for (let at = 0; at < 23; at++) faults.warn("A", `${at}`);
    expect([faults.isEmpty, faults.warnings.length, faults.warnings.at(-1)]).toEqual([true, 20, "A: 19"]);
  });
});
