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

const attempt = (login: string, password: string, query = ROOT_QUERY) =>
  fetch(api.url(`/api/system/directory/test?${query}`), {
    method: "POST",
    body: JSON.stringify({ Login: login, Password: password }),
  });

describe("the directory of users", () => {
  it("is shown without its secrets", async () => {
    api = await startApi({ directory });
    expect(await (await api.get("/api/system/directory")).json()).toEqual({
      IsConfigured: true,
      Url: "ldap://ldap.example.org",
      BaseDn: "dc=example,dc=org",
      IsEncrypted: true,
      ServiceDn: null,
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

  it("is not tried where there is none, by others, or without a password", async () => {
    api = await startApi();
    expect((await attempt("alice", PASSWORD)).status).toBe(409);
    expect(await (await api.get("/api/system/directory")).json()).toMatchObject({ IsConfigured: false });
    expect((await attempt("alice", PASSWORD, "login=guard")).status).toBe(403);
    expect((await attempt("alice", "")).status).toBe(400);
  });
});
