import { describe, expect, it } from "vitest";
import { HubPrincipal } from "../../src/access/hub-principal.js";
import type { HubAdmission, HubUser } from "../../src/access/types.js";
import { GROUP_RIGHTS, type GroupRight } from "../../src/site/index.js";

const GUARD: HubUser = {
  ...{ Id: "66666666-0000-4000-8000-000000000002", Name: "guard", Group: "Guards", IsAdministrator: false },
  ...{
    Rights: ["CanPTZ", "CanReceiveSound", "CanChangePassword"],
    Realtime: true,
    Archive: false,
    Address: "192.0.2.7",
  },
};
const ADMINISTRATOR: HubUser = { ...GUARD, IsAdministrator: true, Rights: [], Realtime: false };

const at = (ceiling: HubAdmission["ceiling"]): HubAdmission => ({ hub: "Works", ceiling, mayUpdate: true });

function rightsOf(principal: HubPrincipal): GroupRight[] {
  return GROUP_RIGHTS.filter((right) => principal.group.rights[right]);
}

describe("a user of a hub", () => {
  it.each<[HubAdmission["ceiling"], GroupRight[]]>([
    ["Look", ["CanReceiveSound"]],
    ["Operate", ["CanPTZ", "CanReceiveSound"]],
    ["Everything", ["CanPTZ", "CanReceiveSound"]],
  ])("has the hub's rights as far as the owner lets the hub go: %s", (ceiling, rights) => {
    const guard = new HubPrincipal(GUARD, at(ceiling));
    expect(rightsOf(guard)).toEqual(GROUP_RIGHTS.filter((right) => rights.includes(right)));
    expect([guard.mayOnlyLook, guard.group.seniorAdministrators]).toEqual([ceiling === "Look", false]);
  });

  it("sees live or recorded as the hub says", () => {
    const live = new HubPrincipal(GUARD, at("Look"));
    expect([live.mayWatchRealtime(), live.mayWatchArchive(), live.maySee()]).toEqual([true, false, true]);
    const recorded = new HubPrincipal({ ...GUARD, Realtime: false, Archive: true }, at("Look"));
    expect([recorded.mayWatchRealtime(), recorded.mayWatchArchive(), recorded.maySee()]).toEqual([
      false,
      true,
      true,
    ]);
    const neither = new HubPrincipal({ ...GUARD, Realtime: false }, at("Look"));
    expect([neither.maySee(), neither.group.realtimeChannels, neither.group.archiveChannels]).toEqual([
      false,
      [],
      [],
    ]);
  });

  it("to whom all is forbidden there sees nothing here", () => {
    const forbidden = new HubPrincipal(
      { ...GUARD, Rights: ["IsAllForbidden"], Archive: true },
      at("Everything"),
    );
    expect([forbidden.mayWatchRealtime(), forbidden.mayWatchArchive()]).toEqual([false, false]);
  });

  it("who is an administrator there sees all, and is one here where the owner lets the hub do everything", () => {
    const everything = new HubPrincipal(ADMINISTRATOR, at("Everything"));
    expect(everything.group).toMatchObject({
      ...{ seniorAdministrators: true, realtimeChannels: "all", archiveChannels: "all" },
    });
    expect(rightsOf(everything)).not.toContain("CanChangePassword");
    const looking = new HubPrincipal({ ...ADMINISTRATOR, Rights: ["IsAllForbidden"] }, at("Look"));
    expect([
      looking.group.seniorAdministrators,
      looking.mayWatchRealtime(),
      looking.mayWatchArchive(),
    ]).toEqual([...[false, true, true]]);
    expect(rightsOf(looking)).not.toContain("CanPTZ");
  });

  it("updates the system as an administrator of a hub that may", () => {
    const may = (user: HubUser, mayUpdate: boolean) =>
      new HubPrincipal(user, { ...at("Look"), mayUpdate }).mayUpdate;
    expect([may(ADMINISTRATOR, true), may(ADMINISTRATOR, false), may(GUARD, true)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("is nobody of this recorder: another id, no password, one for each hub", () => {
    const here = new HubPrincipal(GUARD, at("Look"));
    const elsewhere = new HubPrincipal(GUARD, { ...at("Look"), hub: "Office" });
    expect(here.user).toMatchObject({ name: "guard @ Works", secret: "locked" });
    expect(new Set([GUARD.Id, here.user.id, elsewhere.user.id]).size).toBe(3);
    expect(new HubPrincipal(GUARD, at("Everything")).user.id).toBe(here.user.id);
  });
});
