import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJsonBody } from "../../src/route/body/json-body.js";
import { processorMs } from "../support/base/processor-time.js";

const read = (text: string): unknown => parseJsonBody(Buffer.from(text));
const refusal = (text: string): string => {
  try {
    read(text);
  } catch (error) {
    return (error as Error).message;
  }
  return "taken";
};

describe("a member that a body says twice", () => {
  it.each([
    ["with one spelling", '{"Name":"a","Name":"b"}', "Name: stands twice, with different values"],
    ["in another case", '{"Name":"a","name":"b"}', "Name: says otherwise than name"],
    ["with an escape in its name", '{"Name":1,"n\\u0061me":2}', "Name: says otherwise than name"],
    ["deep within", '[{"A":{"b":[{},{"X":1,"x":2}]}}]', "[0].A.b[1].X: says otherwise than [0].A.b[1].x"],
    ["behind other members", '{"a":1,"b":{"c":2},"A" : 3}', "a: says otherwise than A"],
    ["as a value and as null", '{"Password":"x","password":null}', "Password: says otherwise than password"],
    ["that no endpoint knows", '{"Unknown":1,"UNKNOWN":2}', "Unknown: says otherwise"],
    ["__proto__", '{"__proto__":1,"__PROTO__":2}', "__proto__: says otherwise"],
  ])("%s is refused", (_what, text, message) => {
    expect(refusal(text)).toContain(message);
  });

  it.each([
    '{"a":1,"A":1.0}',
    '{"a":{"b":[1,2]},"A":{ "b" : [1, 2] }}',
    '[{"a":1},{"A":2}]',
    '{"a":"{\\"a\\":1,\\"A\\":2}"}',
    '{"a":{"a":{"a":2}}}',
    '{"Zones":{"x":1,"X":2}}',
    "[]",
    '"x"',
  ])("with one value, or in different objects, is taken: %s", (text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it("within JSON of a client's own counts by its spelling", () => {
    expect(refusal('{"InteractiveSearchSettings":{"x":1,"x":2}}')).toContain("stands twice");
  });

  it("is looked for in no longer than it takes to read the body", () => {
    const spaces = " ".repeat(200_000);
    const ms = processorMs(() => {
      read(`{"a":[${spaces}]${',"a":[]'.repeat(1000)}}`);
      read(`[${"[1,2,3],".repeat(10_000)}1]`);
    });
    expect(ms).toBeLessThan(4000);
  });

  it("is all that is refused: any other JSON is read as it is", () => {
    const property = fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const outcome = refusal(text);
      if (outcome === "taken") expect(read(text)).toEqual(JSON.parse(text));
      else expect(outcome).toMatch(/stands twice|says otherwise/);
    });
    fc.assert(property);
  });
});
