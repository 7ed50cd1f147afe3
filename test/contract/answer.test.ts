import { expect, it } from "vitest";
import {
  anything,
  by,
  choice,
  decimal,
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  named,
  nullable,
  oneOf,
  optional,
  secret,
  table,
  text,
  time,
  type ValueOf,
  writeOnly,
} from "../../src/contract/kinds/kinds.js";
import { capitalized, schemaOf } from "../../src/route/index.js";

const lens = named("Lens", group({ Zoom: decimal(1, 30) }));
const camera = group({
  Id: id,
  Name: meaning("As on its sticker.", text),
  State: nullable(choice("on", "off")),
  Lens: meaning("Null: it is fixed.", nullable(lens)),
  Seen: listOf(time),
  Rights: table(flag),
  Pictures: optional(integer),
  Password: secret(text),
  Clear: writeOnly(flag),
  Step: by(integer, 1),
  Result: nullable(oneOf(lens, group({ Path: text }))),
  Raw: anything,
});

it("an answer is described as its contract says", () => {
  const lensSchema = {
    title: "Lens",
    type: "object",
    required: ["Zoom"],
    properties: { Zoom: { type: "number", minimum: 1, maximum: 30 } },
  };
  expect(schemaOf(camera)).toEqual({
    type: "object",
    required: ["Id", "Name", "State", "Lens", "Seen", "Rights", "Password", "Step", "Result", "Raw"],
    properties: {
      Id: expect.objectContaining({ type: "string", format: "uuid" }),
      Name: { type: "string", description: "As on its sticker." },
      State: { type: ["string", "null"], enum: ["on", "off", null] },
      Lens: { oneOf: [lensSchema, { type: "null" }], description: "Null: it is fixed." },
      Seen: { type: "array", items: { type: "string", format: "date-time" } },
      Rights: { type: "object", additionalProperties: { type: "boolean" } },
      Pictures: { type: "integer" },
      Password: { type: ["string", "null"] },
      Step: { type: "integer" },
      Result: {
        anyOf: [
          lensSchema,
          { type: "object", required: ["Path"], properties: { Path: { type: "string" } } },
          { type: "null" },
        ],
      },
      Raw: {},
    },
  });
});

it("an answer has the members of its contract, and no others", () => {
  const answer: ValueOf<typeof camera> = {
    Id: "22222222-0000-4000-8000-00000000000a",
    Name: "Yard",
    State: "on",
    Lens: null,
    Seen: ["2026-11-21T09:00:00.0000000Z"],
    Rights: { CanPTZ: true },
    Password: null,
    Step: 2,
    Result: { Path: "/srv" },
    Raw: [1],
  };
  const { Raw, ...rest } = answer;
  // @ts-expect-error: a member is missing
  const missing: typeof answer = rest;
  // @ts-expect-error: the contract has no such member
  const more: typeof answer = { ...answer, Colour: "red" };
  // @ts-expect-error: a word that the contract does not have
  const word: typeof answer = { ...answer, State: "lost" };
  expect([missing, more, word].map(Object.keys).map(({ length }) => length)).toEqual([9, 11, 10]);
  expect(Raw).toEqual([1]);
});

it("members in memory begin with a small letter, those of an answer with a capital one; nothing is null", () => {
  const kept = { freeBytes: 3, volumes: [{ path: "/srv", reason: undefined }], last: null };
  expect(capitalized(kept)).toEqual({
    FreeBytes: 3,
    Volumes: [{ Path: "/srv", Reason: null }],
    Last: null,
  });
});
