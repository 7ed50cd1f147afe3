import { afterEach, describe, expect, it } from "vitest";
import type { Directory } from "../../../src/access/index.js";
import { NvrdError } from "../../../src/base/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { guardsGroup } from "../../support/api/api-fakes.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";

const ALICE = "uid=alice,dc=example,dc=org";
const PASSWORD = "her password";
let api: ApiHarness;

afterEach(() => api.stop());

/** Knows alice, who is in one group. */
const directory: Directory = {
  authenticate: async (login, password) => {
    if (login === "nobody-home")
      throw new NvrdError("NOT_AVAILABLE", "the directory of users is not available at the moment", {
        cause: Object.assign(new Error("connect ECONNREFUSED 192.0.2.9:389"), { code: "ECONNREFUSED" }),
      });
    if (login !== "alice" || password !== PASSWORD) return undefined;
    return { dn: ALICE, groups: ["cn=Night,dc=example,dc=org"] };
  },
};

const attempt = (login: string, password: string, query = ROOT_QUERY, Settings: object | null = null) =>
  fetch(api.url(`/api/system/directory/test?${query}`), {
    method: "POST",
    body: JSON.stringify({ Login: login, Password: password, Settings }),
  });

const READER = {
  ...{ Url: "ldaps://dc1.example.org", BaseDn: "dc=example,dc=org" },
  ...{ ServiceDn: "cn=reader,dc=example,dc=org", ServicePassword: "the reader's own" },
};

const put = (body: object, query = ROOT_QUERY) =>
  fetch(api.url(`/api/system/directory?${query}`), { method: "PUT", body: JSON.stringify(body) });

describe("the directory of users", () => {
  it("is shown without its secrets", async () => {
    api = await startApi({ directory });
    expect(await (await api.get("/api/system/directory")).json()).toEqual({
      IsConfigured: true,
      Url: "ldap://ldap.example.org",
      BaseDn: "dc=example,dc=org",
      IsEncrypted: true,
      ServiceDn: null,
      Source: "SettingsFile",
      Settings: null,
      SettingsFileUrl: "ldap://ldap.example.org",
    });
  });

  it("is tried with a login, which says where it leads to", async () => {
    api = await startApi({ directory });
    const none = await (await attempt("alice", PASSWORD)).json();
    expect(none).toMatchObject({ Result: "NoGroup", Dn: ALICE, Group: null });
    await api.site.change((site) => ({
      ...site,
      groups: site.groups.map((group) =>
        group.seniorAdministrators ? group : guardsGroup({ directoryGroups: ["night"] }),
      ),
    }));
    expect(await (await attempt("alice", PASSWORD)).json()).toEqual({
      Result: "Accepted",
      Dn: ALICE,
      DirectoryGroups: ["cn=Night,dc=example,dc=org"],
      Group: "Guards",
      Problem: null,
      Reason: null,
    });
    expect(await (await attempt("alice", "guessed")).json()).toMatchObject({ Result: "Refused" });
    expect(await (await attempt("nobody-home", PASSWORD)).json()).toMatchObject({
      Result: "Unavailable",
      Problem: "Unreachable",
      Reason: "connect ECONNREFUSED 192.0.2.9:389",
    });
    const raised = api.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.directoryTried.id);
    expect(raised.map(({ comment, initiator }) => [comment, initiator?.name])).toContainEqual([
      "alice: Refused",
      "root",
    ]);
    expect(JSON.stringify([api.logLines, raised])).not.toContain(PASSWORD);
  });

  it("is set, changed and taken out by administrators, without a word of its password", async () => {
    api = await startApi({ directory });
    expect((await put(READER, "login=guard")).status).toBe(403);
    expect(await (await put(READER)).json()).toMatchObject({
      ...{ IsConfigured: true, Source: "Configuration", Url: READER.Url, ServiceDn: READER.ServiceDn },
      Settings: {
        ...READER,
        ServicePassword: null,
        UserFilter: "(|(userPrincipalName={login})(uid={user}))",
      },
      SettingsFileUrl: "ldap://ldap.example.org",
    });
    const changed = await put({ Url: READER.Url, BaseDn: "dc=other,dc=org", UserFilter: "(mail={login})" });
    expect(await changed.json()).toMatchObject({ Settings: { ServiceDn: READER.ServiceDn } });
    expect(api.site.current.directory).toMatchObject({
      ...{ servicePassword: READER.ServicePassword, userFilter: "(mail={login})", baseDn: "dc=other,dc=org" },
    });
    const off = await put({ Url: READER.Url, BaseDn: READER.BaseDn, IsEnabled: false });
    expect(await off.json()).toMatchObject({ IsConfigured: false, Source: "Configuration", Url: null });
    const gone = await fetch(api.url(`/api/system/directory?${ROOT_QUERY}`), { method: "DELETE" });
    expect(await gone.json()).toMatchObject({ Source: "SettingsFile", Settings: null });
    expect(api.site.current.directory).toBeUndefined();
    const written = JSON.stringify([api.logLines, api.events.raised]);
    expect(written).not.toContain(READER.ServicePassword);
  });

  it("gets no password that was entered for another one", async () => {
    api = await startApi();
    await put(READER);
    const { ServicePassword: _, ...same } = READER;
    for (const change of [
      { Url: "ldaps://elsewhere.example.org" },
      { ServiceDn: "cn=other,dc=example,dc=org" },
      { StartTls: false },
      { Authority: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n" },
    ]) {
      const refused = await put({ ...same, ...change });
      expect([refused.status, await refused.text()]).toEqual([409, expect.stringMatching(/enter it again/)]);
      const tried = await attempt("alice", PASSWORD, ROOT_QUERY, { ...same, ...change });
      expect(tried.status).toBe(409);
    }
    expect((await put({ ...same, TimeoutMs: 500 })).status).toBe(200);
  });

  it.each([
    ["no address", { Url: "ldap.example.org" }, 400],
    ["a filter that nobody can read", { UserFilter: "(uid={user}" }, 400],
    ["a filter that ends too early", { UserFilter: "((uid={user})" }, 400],
    ["an account without a password", { ServicePassword: "" }, 409],
    ["no address the first time", { Url: null }, 409],
    ["no base the first time", { BaseDn: null }, 409],
    ["another revision", {}, 409],
  ])("is not set with %s", async (what, change, status) => {
    api = await startApi();
    const query = what === "another revision" ? `${ROOT_QUERY}&revision=99` : ROOT_QUERY;
    expect((await put({ ...READER, ...change }, query)).status).toBe(status);
    expect(api.site.current.directory).toBeUndefined();
  });

  it("is tried before it is set, and nothing is changed", async () => {
    api = await startApi({ directory });
    const before = api.site.current.revision;
    const tried = await attempt("alice", PASSWORD, ROOT_QUERY, READER);
    expect(await tried.json()).toMatchObject({ Result: "NoGroup", Dn: ALICE });
    expect(api.site.current.revision).toBe(before);
    expect(api.events.raised.map(({ comment }) => comment)).toContain(`alice: NoGroup (${READER.Url})`);
  });

  it("is not tried where there is none, by others, or without a password", async () => {
    api = await startApi();
    expect((await attempt("alice", PASSWORD)).status).toBe(409);
    expect(await (await api.get("/api/system/directory")).json()).toMatchObject({ IsConfigured: false });
    expect((await attempt("alice", PASSWORD, "login=guard")).status).toBe(403);
    expect((await attempt("alice", "")).status).toBe(400);
  });
});
