import * as v from "valibot";
import { expect, it } from "vitest";
import { readBody } from "../../../src/route/body/body-schema.js";

const SCHEMA = v.strictObject({
  Name: v.string(),
  Items: v.optional(v.array(v.pipe(v.number(), v.maxValue(9, "accepted: 0 to 9")))),
});

/** What is answered to a body; `bytes`: blanks before its end make it so long. */
function refusal(value: unknown, bytes = 0): string {
  const text = JSON.stringify(value);
  try {
    readBody(SCHEMA, Buffer.from(text.slice(0, -1) + text.slice(-1).padStart(bytes - text.length + 1)));
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

it("a body that matches is given", () => {
  expect(readBody(SCHEMA, Buffer.from('{"Name":"Gate","Items":[1,9]}'))).toEqual({
    Name: "Gate",
    Items: [1, 9],
  });
});

it("each fault is reported by its path and what is accepted there, never by the value", () => {
  const refused = refusal({ Items: [1, 77], Surplus: "secret" });
  expect(refused).toContain("Name: is required");
  expect(refused).toContain("Items[1]: 0 to 9");
  expect(refused).toContain("Surplus: unknown member");
  expect(refused).not.toMatch(/77|secret/);
  expect(refusal({ Name: 1 })).toContain("Name: not of the accepted type");
  expect(refusal("none")).toContain("the body: not of the accepted type");
});

it("of a key that is no member, 40 characters are reported", () => {
  const refused = refusal({ Name: "", [`${"k".repeat(40)}rest`]: 1 });
  expect(refused).toContain(`${"k".repeat(40)}: unknown member`);
  expect(refused).not.toContain("rest");
});

it("of a body of 64 KiB all faults are reported, of a larger one the first alone", () => {
  const wrong = { Items: [10, 11, 12] };
  expect(refusal(wrong, 65_536)).toContain("Items[2]: 0 to 9");
  const first = refusal(wrong, 65_537);
  expect(first).toContain("Name: is required");
  expect(first).not.toContain("Items");
});
