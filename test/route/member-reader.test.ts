import { describe, expect, it } from "vitest";
import {
  by,
  choice,
  clearable,
  decimal,
  flag,
  group,
  id,
  json,
  line,
  lines,
  list,
  needed,
  whole,
  writeOnly,
} from "../../src/contract/kinds/kinds.js";
import { BodyReader, Faults } from "../../src/route/body/body-reader.js";
import { readMember, readMembers } from "../../src/route/body/member-reader.js";

const POINT = group({ X: by(whole(0, 9), 0), Name: needed(line(4)) });
const MEMBERS = {
  On: flag,
  Count: whole(1, 60),
  Share: decimal(0, 1),
  Name: line(4),
  Text: lines(20),
  Way: choice("Fast", "Slow"),
  Extra: json(40),
  Ways: list(choice("Fast", "Slow"), 2, "ways"),
  Points: list(POINT, 2, "points"),
  Other: id,
} as const;

const GIVEN = {
  ...{ On: true, Count: 7, Share: 0.5, Name: "abcd", Text: "two\nlines", Way: "Slow", Extra: { a: [1] } },
  ...{ Ways: ["Slow", "Fast"], Points: [{ Name: "p" }, { X: 3, Name: "q" }] },
};
const KEPT = {
  ...{ ...GIVEN, Extra: '{"a":[1]}', Ways: ["Fast", "Slow"] },
  Points: [
    { x: 0, name: "p" },
    { x: 3, name: "q" },
  ],
};

function read(name: keyof typeof MEMBERS, body: object): { value: unknown; isFaultless: boolean } {
  const faults = new Faults();
  const value = readMember(new BodyReader(body, "", faults), MEMBERS, name);
  return { value, isFaultless: faults.isEmpty };
}

describe("a member of a body", () => {
  it.each(Object.entries(KEPT))("%s is read by its kind", (name, kept) => {
    expect(read(name as keyof typeof MEMBERS, GIVEN)).toEqual({ value: kept, isFaultless: true });
  });

  it.each(Object.keys(KEPT))("%s that is absent is none", (name) => {
    expect(read(name as keyof typeof MEMBERS, {})).toEqual({ value: undefined, isFaultless: true });
  });
});

it("a member that is read by itself is not read here", () => {
  expect(() => read("Other", { Other: "x" })).toThrow("a member of the kind id is read by itself");
});

describe("what is kept after a body", () => {
  const members = { Count: by(whole(1, 60), 5), Place: clearable(line(4)), Point: POINT } as const;
  const before = { count: 9, place: "here", point: { x: 1, name: "p" } };
  const keptAfter = (body: object): unknown =>
    readMembers(new BodyReader(body, "", new Faults()), members, before as never);

  it("is what it gives, and what there was of the rest", () => {
    expect(keptAfter({ Count: 7, Point: { X: 2 } })).toEqual({
      ...before,
      count: 7,
      point: { x: 2, name: "p" },
    });
    expect(keptAfter({})).toEqual(before);
  });

  it("is nothing of what null takes away", () => {
    expect(keptAfter({ Place: null, Count: null })).toEqual({ ...before, place: null });
  });
});

describe("the members of an object", () => {
  it("that are only written are not among what is stored", () => {
    const members = { On: flag, Key: writeOnly(line(4)) } as const;
    const faults = new Faults();
    const stored = readMembers(new BodyReader({ On: true, Key: "abcd" }, "", faults), members, { on: false });
    expect([stored, faults.isEmpty]).toEqual([{ on: true }, true]);
  });
});
