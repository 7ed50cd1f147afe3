import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { changed, defaultsOf, shown } from "../../src/contract/index.js";
import {
  atMost,
  by,
  clearable,
  coded,
  decimal,
  flag,
  group,
  id,
  line,
  list,
  maybeId,
  nameWith,
  plain,
  readOnly,
  sparse,
  storedAs,
  tree,
  unsaid,
  whole,
  word,
} from "../../src/contract/kinds/kinds.js";
import { notesOf, readerOf, readerOfValue, storedEntries } from "../../src/contract/reading/index.js";
import { schemaOfBody } from "../../src/route/index.js";

const GUID = "10000000-0000-4000-8000-00000000000a";
const ZEROS = "00000000-0000-0000-0000-000000000000";

const resource = {
  Id: readOnly(id),
  Time: by(coded(/^\d\d:\d\d$/, "a time of day"), "08:00"),
  Share: decimal(0, 1),
  Way: by(word("StartTls", "None"), "StartTls"),
  Port: clearable(whole(1, 9)),
  Other: clearable(maybeId),
  Limit: storedAs("most", unsaid(whole(0, 9), 3)),
  Proxy: sparse(by(line(9), "")),
  Names: sparse(by(list(line(9), 2, "names"), [])),
} as const;
const reader = readerOf(resource);
const kept = v.strictObject(storedEntries(resource));

const refusals = (schema: v.GenericSchema, value: unknown): readonly string[] =>
  (v.safeParse(schema, value).issues ?? []).map(({ message }) => message);

describe("a body's member", () => {
  it.each([
    ["a text of a form", { Time: "8" }, "accepted: a time of day"],
    ["a number with fractions", { Share: 1.5 }, "accepted: 0 to 1"],
    ["a word", { Way: "startTls" }, "accepted: StartTls, None"],
    ["an id that may be empty", { Other: "x" }, "accepted: a GUID, or an empty text"],
  ])("that is %s is refused with what is accepted", (_what, body, message) => {
    expect(refusals(reader, body)).toEqual([message]);
  });

  it("that only answers have is not read", () => {
    expect(v.parse(reader, { Id: "anything" })).toEqual({});
    expect(Object.keys(schemaOfBody(reader).properties ?? {})).not.toContain("Id");
    expect(Object.keys(notesOf({ Id: by(readOnly(id), GUID) }, {}))).toEqual([]);
  });

  it("that is an id which may be none is null where it is empty, or zeros", () => {
    expect([GUID.toUpperCase(), "", ZEROS, null].map((Other) => v.parse(reader, { Other }).Other)).toEqual([
      GUID,
      null,
      null,
      null,
    ]);
  });

  it("may have rules beside those of its kind", () => {
    const name = readerOfValue(nameWith({ pattern: /^[^:]*$/, accepted: "a name without a colon" }));
    expect(v.parse(name, " eva ")).toBe("eva");
    expect(refusals(name, "e:va")).toEqual(["accepted: a name without a colon"]);
    const some = readerOfValue(line(5, { lengthMin: 1, accepted: "some text" }));
    expect(refusals(some, "")).toEqual(["accepted: some text"]);
    expect(schemaOfBody(some)).toMatchObject({ minLength: 1, maxLength: 5 });
  });

  it("that is a list has a fewest", () => {
    const some = { ...list(flag, 3, "flags"), min: { count: 1, accepted: "at least one" } } as const;
    expect(refusals(readerOfValue(some), [])).toEqual(["accepted: at least one"]);
    expect(schemaOfBody(readerOfValue(some))).toMatchObject({ minItems: 1, maxItems: 3 });
  });
});

describe("a text that is taken as it is", () => {
  const path = plain(
    "a path",
    { check: (text) => text.startsWith("/"), accepted: "an absolute path" },
    atMost(5),
  );

  it("is checked in the order of its rules, and its length is one of them", () => {
    const reader = readerOfValue(path);
    expect(v.parse(reader, "/\u0001\n")).toBe("/\u0001\n");
    expect(refusals(reader, "too long")).toEqual([
      "accepted: an absolute path",
      "accepted: at most 5 characters",
    ]);
    expect(refusals(reader, 1)).toEqual(["accepted: a path"]);
    expect(path.max).toBe(5);
    expect(schemaOfBody(reader)).toMatchObject({ type: "string", maxLength: 5 });
  });
});

describe("a member that is refused in words of its own", () => {
  it("is a list of something, or a flag that must be set", () => {
    const hosts = readerOfValue({ ...list(line(9), 2, "hosts"), accepted: "a list of hosts" });
    expect(refusals(hosts, "a")).toEqual(["accepted: a list of hosts"]);
    const agreed = readerOfValue({ ...flag, only: { value: true, accepted: "true, once you agree" } });
    expect(v.parse(agreed, true)).toBe(true);
    expect(refusals(agreed, false)).toEqual(["accepted: true, once you agree"]);
    expect(schemaOfBody(agreed)).toEqual({ const: true });
  });
});

describe("what is kept", () => {
  const fresh = changed(resource, { Share: 0.5 });

  it("has words with a small first letter, names of its own, null, and not what is as usual", () => {
    expect(fresh).toEqual({
      ...{ time: "08:00", share: 0.5, way: "startTls", port: null, other: null, most: 3 },
    });
    expect(v.is(kept, fresh)).toBe(true);
    expect(v.is(kept, { ...fresh, way: "StartTls" })).toBe(false);
    expect(v.is(kept, { ...fresh, proxy: "http", names: ["a"] })).toBe(true);
  });

  it("is answered as it was sent", () => {
    const sent = { Time: "09:00", Share: 1, Way: "None", Port: 2, Other: GUID, Limit: 0 } as const;
    const after = changed(resource, { ...sent, Proxy: "p", Names: ["n"] });
    expect(shown(resource, { ...after, id: GUID })).toEqual({ Id: GUID, ...sent, Proxy: "p", Names: ["n"] });
    expect(shown(resource, { ...fresh, id: GUID })).toMatchObject({ Port: null, Proxy: "", Names: [] });
  });

  it("becomes null where null is given, and stays where nothing is", () => {
    const former = { ...fresh, port: 2, other: GUID, most: 5, proxy: "p" };
    expect(changed(resource, {}, former)).toEqual(former);
    const { proxy: _gone, ...rest } = former;
    expect(changed(resource, { Port: null, Other: null, Limit: null, Proxy: "" }, former)).toEqual({
      ...rest,
      port: null,
      other: null,
    });
  });

  it("of a group is changed in the members given", () => {
    const outer = { Inner: group({ A: by(flag, true), B: by(flag, false) }) } as const;
    expect(changed(outer, {})).toEqual({ inner: { a: true, b: false } });
    expect(changed(outer, { Inner: { B: true } }, { inner: { a: false, b: false } })).toEqual({
      inner: { a: false, b: true },
    });
  });
});

describe("a tree", () => {
  const folder = tree({
    ...{ members: { Name: unsaid(line(4), "") }, children: "Folders", storedChildren: "below" },
    ...{ max: 2, noun: "folders" },
  });
  const all = { Root: folder } as const;

  it("is read at each level, with the path of what is wrong", () => {
    const { issues = [] } = v.safeParse(readerOf(all), { root: { folders: [{ Name: "too long" }] } });
    expect(issues.map(({ path }) => path?.map(({ key }) => key).join("."))).toEqual(["Root.Folders.0.Name"]);
    const many = { Root: { Folders: [{ Folders: [{}, {}, {}] }] } };
    expect(refusals(readerOf(all), many)).toEqual(["accepted: at most 2 folders"]);
  });

  it("is kept and answered as a whole; an absent one is empty", () => {
    const after = changed(all, { Root: { Name: "a", Folders: [{ Name: "b" }] } });
    expect(after).toEqual({ root: { name: "a", below: [{ name: "b", below: [] }] } });
    expect(v.is(v.strictObject(storedEntries(all)), after)).toBe(true);
    expect(shown(all, after)).toEqual({
      Root: { Name: "a", Folders: [{ Name: "b", Folders: [] }] },
    });
    expect(defaultsOf(all)).toEqual(changed(all, {}));
    expect(changed(all, {})).toEqual({ root: { name: "", below: [] } });
    expect(changed(all, {}, after)).toEqual(after);
  });
});

it("the description leaves out defaults that are not asked for", () => {
  expect(notesOf(resource, {})).toEqual({
    Time: { default: "08:00" },
    Way: { default: "StartTls" },
    Names: { default: [] },
  });
  expect(notesOf(resource, {}, { isOne: true })).toEqual({});
});
