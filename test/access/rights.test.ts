import { describe, expect, it } from "vitest";
import { SitePrincipals } from "../../src/access/site-principals.js";
import { newGuid } from "../../src/base/index.js";
import { allRights, createFirstSite, type UserGroup } from "../../src/site/index.js";

const [a, b, c] = [newGuid(), newGuid(), newGuid()];

function principalOf(change: Partial<UserGroup>) {
  const first = createFirstSite({ serverName: "test", nowUs: 0 });
  const groups = first.groups.map((group) => ({ ...group, seniorAdministrators: false, ...change }));
  const principals = new SitePrincipals({ ...first, groups });
  const user = principals.user("root");
  const principal = user === undefined ? undefined : principals.principal(user);
  if (principal === undefined) throw new Error("root is missing");
  return principal;
}

describe("a principal", () => {
  it("of senior administrators sees every channel, whatever the lists say", () => {
    const principal = principalOf({ seniorAdministrators: true, realtimeChannels: [], archiveChannels: [] });
    expect([principal.mayWatchRealtime(a), principal.mayWatchArchive(a), principal.maySee(a)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it("of an ordinary group sees what the group's lists name", () => {
    const principal = principalOf({ realtimeChannels: [a], archiveChannels: [b] });
    expect([a, b, c].map((id) => principal.mayWatchRealtime(id))).toEqual([true, false, false]);
    expect([a, b, c].map((id) => principal.mayWatchArchive(id))).toEqual([false, true, false]);
    expect([a, b, c].map((id) => principal.maySee(id))).toEqual([true, true, false]);
  });

  it("of a group with all channels sees all", () => {
    const principal = principalOf({ realtimeChannels: "all", archiveChannels: [] });
    expect([principal.mayWatchRealtime(a), principal.mayWatchArchive(a)]).toEqual([true, false]);
  });

  it("sees nothing when all is forbidden, senior or not", () => {
    const rights = { ...allRights(), IsAllForbidden: true };
    for (const seniorAdministrators of [true, false]) {
      const principal = principalOf({
        rights,
        seniorAdministrators,
        realtimeChannels: "all",
        archiveChannels: [a],
      });
      expect(principal.maySee(a)).toBe(false);
    }
  });
});
