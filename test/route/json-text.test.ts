import { describe, expect, it } from "vitest";
import {
  BODY_MEMBERS_MAX,
  BODY_NESTING_MAX,
  OBJECT_MEMBERS_MAX,
  parseJsonText,
} from "../../src/route/body/json-text.js";

const parse = (text: string): unknown => parseJsonText(Buffer.from(text));
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const object = (members: number): string =>
  `{${Array.from({ length: members }, (_, at) => `"k${at}":1`).join(",")}}`;
const list = (items: number): string => `[${Array.from({ length: items }, () => "1").join(",")}]`;

describe("a body's nesting", () => {
  it("is as deep as may be, and no deeper, in lists and objects", () => {
    expect(parse(nested(BODY_NESTING_MAX))).toBeDefined();
    expect(() => parse(nested(BODY_NESTING_MAX + 1))).toThrow("nests deeper than 64 levels");
    const objects = '{"a":'.repeat(BODY_NESTING_MAX);
    expect(() => parse(`${objects}[]${"}".repeat(BODY_NESTING_MAX)}`)).toThrow("nests deeper");
  });

  it("is that of what is open at once: what was closed counts no more", () => {
    const many = Array.from({ length: 100 }, () => nested(BODY_NESTING_MAX - 1)).join(",");
    expect(parse(`[${many}]`)).toHaveLength(100);
  });

  it("counts no brackets in texts", () => {
    expect(parse(`["${"[{".repeat(100)}","\\"[${"[".repeat(100)}"]`)).toHaveLength(2);
  });
});

describe("a body's members", () => {
  it("are as many as one object may have, and no more", () => {
    expect(Object.keys(parse(object(OBJECT_MEMBERS_MAX)) as object)).toHaveLength(OBJECT_MEMBERS_MAX);
    expect(() => parse(object(OBJECT_MEMBERS_MAX + 1))).toThrow("an object of the body has more than 1024");
  });

  it("are counted for each object by itself, and an object's in a list's by themselves", () => {
    const whole = object(OBJECT_MEMBERS_MAX);
    expect(parse(`[${whole},${whole}]`)).toHaveLength(2);
    expect(parse(`{"a":${list(2 * OBJECT_MEMBERS_MAX)},"b":1}`)).toMatchObject({ b: 1 });
    expect(() => parse(`{"a":[],${object(OBJECT_MEMBERS_MAX).slice(1)}`)).toThrow("an object of the body");
  });

  it("are bounded for the whole body", () => {
    expect(parse(list(BODY_MEMBERS_MAX - 1))).toHaveLength(BODY_MEMBERS_MAX - 1);
    expect(() => parse(list(BODY_MEMBERS_MAX + 1))).toThrow("the body has more than 50000 members");
    const pairs = `[${Array.from({ length: BODY_MEMBERS_MAX / 2 }, () => "[1]").join(",")}]`;
    expect(() => parse(pairs)).not.toThrow();
    const more = `[${Array.from({ length: BODY_MEMBERS_MAX / 2 + 1 }, () => "[1]").join(",")}]`;
    expect(() => parse(more)).toThrow("the body has more than 50000 members");
  });
});

it("a body that is no UTF-8 or no JSON is refused with what to send", () => {
  expect(() => parseJsonText(Buffer.from([0x22, 0xff, 0x22]))).toThrow("the body is not UTF-8");
  expect(() => parse("{")).toThrow("the body is not JSON");
});
