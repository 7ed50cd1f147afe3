import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { changed, directory, directoryTrialBody } from "../../src/contract/index.js";
import { readerOf, readerOfValue, storedEntries } from "../../src/contract/reading/index.js";
import { schemaOfBody } from "../../src/route/index.js";
import { LDAP_SETTING_DEFINITIONS } from "../../src/settings/directory-settings.js";

const reader = readerOf(directory);
const kept = v.strictObject(storedEntries(directory));
const WHERE = { Url: "ldaps://dc1.example.org", BaseDn: "dc=example" } as const;
const refusals = (schema: v.GenericSchema, value: unknown): readonly string[] =>
  (v.safeParse(schema, value).issues ?? []).map(({ message }) => message);

describe("the directory of users", () => {
  it("has its usual texts where they are empty, and keeps no empty one", () => {
    const chosen = changed(directory, v.parse(reader, { ...WHERE, BindDn: "{user}@a", GroupFilter: "" }));
    expect(chosen).toMatchObject({ bindDnTemplate: "{user}@a", groupFilter: "" });
    const emptied = changed(directory, v.parse(reader, { BindDn: "", UserFilter: "" }), chosen);
    expect(emptied).toEqual({ ...chosen, bindDnTemplate: directory.BindDn.default });
    expect(v.is(kept, emptied)).toBe(true);
    expect(v.is(kept, { ...emptied, bindDnTemplate: "" })).toBe(false);
    expect(v.is(kept, { ...emptied, serviceDn: "" })).toBe(true);
  });

  it("is refused with what is accepted, and described by what an empty text passes too", () => {
    expect(refusals(reader, { BindDn: "cn=x" })).toEqual([
      "accepted: a distinguished name or an address, with {login} or {user} in it, or empty",
    ]);
    expect(refusals(kept, changed(directory, { ...WHERE, BindDn: "cn=x" }))).toEqual([
      "accepted: a distinguished name or an address, with {login} or {user} in it",
    ]);
    const { BindDn, Url } = schemaOfBody(reader).properties ?? {};
    expect(["", "{login}"].every((text) => new RegExp(BindDn?.pattern ?? "-", "u").test(text))).toBe(true);
    expect(new RegExp(Url?.pattern ?? "-", "u").test("")).toBe(false);
  });

  it("has the limits and defaults of the settings of the process", () => {
    const { ldapTimeoutMs, ldapBindDn, ldapGroupAttribute } = LDAP_SETTING_DEFINITIONS;
    expect(ldapTimeoutMs.fallback).toBe(directory.TimeoutMs.default);
    expect(ldapBindDn.fallback).toBe(directory.BindDn.default);
    expect(ldapGroupAttribute.fallback).toBe(directory.GroupAttribute.default);
    const { min, max } = directory.TimeoutMs;
    expect([min - 1, min, max, max + 1].map((ms) => v.is(reader, { TimeoutMs: ms }))).toEqual([
      ...[false, true, true, false],
    ]);
  });

  it("is tried with texts that are taken as they are", () => {
    const trial = readerOfValue(directoryTrialBody);
    const given = { Login: "a\tb", Password: " \u0001", Settings: WHERE };
    expect(v.parse(trial, given)).toEqual(given);
    expect(refusals(trial, { Login: "", Password: "x".repeat(257) })).toEqual([
      ...["accepted: a text", "accepted: at most 256 characters"],
    ]);
    expect(refusals(trial, { Login: "a" })).toHaveLength(1);
  });
});
