import * as fc from "fast-check";
import { FilterParser } from "ldapts";
import { describe, expect, it } from "vitest";
import {
  escapeDnValue,
  escapeFilterValue,
  fillTemplate,
  firstDnValue,
  loginNames,
  normalizeDn,
} from "../../src/access/ldap/ldap-names.js";

describe("a login", () => {
  it("is taken apart at its last @", () => {
    expect(loginNames("a@b@example.org")).toEqual({
      login: "a@b@example.org",
      user: "a@b",
      domain: "example.org",
    });
    expect(loginNames("alice")).toEqual({ login: "alice", user: "alice", domain: "" });
  });

  it("is put into a template once: what it brings is not read as a place", () => {
    const names = { ...loginNames("{domain}@x") };
    expect(fillTemplate("uid={user},dc={domain}", names, escapeDnValue)).toBe("uid={domain},dc=x");
  });
});

describe("text from outside", () => {
  it("is one value of a filter, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
        const filter = FilterParser.parseString(`(uid=${escapeFilterValue(text)})`);
        expect(filter).toMatchObject({ attribute: "uid", value: text });
      }),
    );
  });

  it("is one value of a name when it is a single blank", () => {
    expect(escapeDnValue(" ")).toBe("\\ ");
    expect(firstDnValue(`uid=${escapeDnValue(" ")},dc=example`)).toBe(" ");
  });

  it("is one value of a name, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary-ascii", minLength: 1 }), (text) => {
        expect(firstDnValue(`uid=${escapeDnValue(text)},dc=example`)).toBe(text);
      }),
    );
  });
});

describe("distinguished names", () => {
  it.each([
    ["case", "CN=Guards,DC=Example", "cn=guards,dc=example"],
    ["blanks between the parts", "cn=guards, dc=example", "cn=guards,dc=example"],
    ["the spelling of an escape", "cn=a\\,b,dc=x", "cn=a\\2Cb,dc=x"],
    ["bytes or letters", "cn=\\D0\\94,dc=x", "cn=Д,dc=x"],
  ])("are equal but for %s", (_what, one, other) => {
    expect(normalizeDn(one)).toBe(normalizeDn(other));
  });

  it.each([
    ["cn=a\\,dc\\=x", "cn=a,dc=x"],
    ["cn=a\\+cn\\=b,dc=x", "cn=a+cn=b,dc=x"],
    ["cn=a\\ ,dc=x", "cn=a,dc=x"],
    ["cn=guards,dc=example", "cn=guards,dc=example,dc=org"],
  ])("%s is not %s", (one, other) => {
    expect(normalizeDn(one)).not.toBe(normalizeDn(other));
  });

  it("are none without an attribute", () => {
    for (const text of ["", "guards", "=guards", "cn=a,b"]) expect(normalizeDn(text)).toBeUndefined();
  });
});

describe("attributes of one letter", () => {
  it("are compared as others are", () => {
    expect(normalizeDn("CN=Guards, O=Works,C=DE")).toBe(normalizeDn("cn=guards,o=works,c=de"));
    expect(normalizeDn("CN=Guards,O=Works")).not.toBe(normalizeDn("CN=Guards,O=Office"));
    expect(normalizeDn("O=Works")).toBeDefined();
  });
});
