import { describe, expect, it } from "vitest";
import { hasRight, isAllForbidden, maySeeFleet } from "../../src/access/group-rights.js";
import type { Principal } from "../../src/access/types.js";
import { GROUP_RIGHTS, type UserGroup } from "../../src/site/index.js";

const NONE = Object.fromEntries(GROUP_RIGHTS.map((right) => [right, false])) as UserGroup["rights"];

function principalOf(group: Partial<UserGroup>, isOfHub?: true): Principal {
  const whole = {
    seniorAdministrators: false,
    rights: NONE,
    realtimeChannels: [],
    archiveChannels: [],
    ...group,
  };
  return { group: whole, ...(isOfHub && { isOfHub }) } as unknown as Principal;
}

describe("a right of a group", () => {
  it("is had by whom the group gives it", () => {
    const guard = principalOf({ rights: { ...NONE, CanPTZ: true } });
    expect([hasRight(guard, "CanPTZ"), hasRight(guard, "CanTransmitSound")]).toEqual([true, false]);
  });

  it("is had by nobody to whom all is forbidden", () => {
    const guard = principalOf({ rights: { ...NONE, CanPTZ: true, IsAllForbidden: true } });
    expect([hasRight(guard, "CanPTZ"), isAllForbidden(guard)]).toEqual([false, true]);
  });

  it("is had by senior administrators, whatever the group says", () => {
    const senior = principalOf({ seniorAdministrators: true, rights: { ...NONE, IsAllForbidden: true } });
    expect([hasRight(senior, "CanPTZ"), isAllForbidden(senior)]).toEqual([true, false]);
  });
});

describe("the recorders of a hub", () => {
  it.each<[string, Partial<UserGroup>, boolean]>([
    ["who sees all cameras live", { realtimeChannels: "all" }, true],
    ["who sees all recordings", { archiveChannels: "all" }, true],
    ["who sees single cameras", { realtimeChannels: ["a"], archiveChannels: ["a"] }, false],
    [
      "to whom all is forbidden",
      { realtimeChannels: "all", rights: { ...NONE, IsAllForbidden: true } },
      false,
    ],
    ["a senior administrator", { seniorAdministrators: true }, true],
  ])("%s: %o", (_who, group, may) => {
    expect(maySeeFleet(principalOf(group))).toBe(may);
  });

  it("are not for who comes through a hub", () => {
    expect(maySeeFleet(principalOf({ seniorAdministrators: true }, true))).toBe(false);
  });
});
