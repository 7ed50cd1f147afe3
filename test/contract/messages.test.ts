import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { decimal, flag, group, line, list, oneOf, optional, whole } from "../../src/contract/kinds/kinds.js";
import { readerOfMessages } from "../../src/contract/reading/index.js";
import { schemaOfMessages } from "../../src/route/index.js";

const size = group({ width: whole(1, 9) });
const messages = {
  show: group({
    id: whole(1, 9),
    size: optional(size),
    sound: optional(flag),
    names: list(line(3), 2, "names"),
  }),
  move: group({ by: oneOf(whole(1, 1), decimal(-2, -0.5)) }),
  stop: group({}),
} as const;
const reader = readerOfMessages(messages);

function refusalOf(message: unknown): string | undefined {
  const [issue] = v.safeParse(reader, message, { abortEarly: true }).issues ?? [];
  return issue && `${v.getDotPath(issue)}: ${issue.message}`;
}

describe("one of several messages", () => {
  it("is read by its type, without members that it does not have", () => {
    expect(v.parse(reader, { type: "show", id: 1, names: ["a"], by: 1 })).toEqual({
      type: "show",
      id: 1,
      names: ["a"],
    });
    expect(v.parse(reader, { type: "move", by: -0.5 })).toEqual({ type: "move", by: -0.5 });
  });

  it.each([
    ["an unknown type", { type: "dance" }, "type: accepted: show, move, stop"],
    ["no type", {}, "type: accepted: show, move, stop"],
    ["no object", [], "type: accepted: show, move, stop"],
    ["null", null, "null: accepted: an object"],
    ["a number in no range", { type: "move", by: 0 }, "by: accepted: 1, or -2 to -0.5"],
    [
      "null for what may be left out",
      { type: "show", id: 1, names: [], sound: null },
      "sound: accepted: true or false",
    ],
    ["a name in another case", { type: "show", ID: 1, names: [] }, undefined],
    ["a member of a member", { type: "show", id: 1, names: [], size: {} }, undefined],
    ["too many", { type: "show", id: 1, names: ["a", "b", "c"] }, "names: accepted: at most 2 names"],
  ])("is refused: %s", (_, message, refusal) => {
    const said = refusalOf(message);
    expect(said).toBeDefined();
    if (refusal !== undefined) expect(said).toBe(refusal);
  });

  it("is described with its type", () => {
    expect(schemaOfMessages(messages).oneOf?.map(({ required }) => required)).toEqual([
      ["type", "id", "names"],
      ["type", "by"],
      ["type"],
    ]);
    expect(schemaOfMessages(messages).oneOf?.[1]?.properties).toEqual({
      type: { const: "move" },
      by: {
        anyOf: [
          { type: "integer", minimum: 1, maximum: 1 },
          { type: "number", minimum: -2, maximum: -0.5 },
        ],
      },
    });
  });
});
