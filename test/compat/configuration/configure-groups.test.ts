import { beforeEach, describe, expect, it } from "vitest";
import { GROUP_RIGHTS, type UserGroup } from "../../../src/site/index.js";
import { type Administration, errorOf, startAdministration } from "../../support/api/administration.js";
import { ADMINISTRATORS_ID, GATE_ID, GUARDS_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";

const PATH = "/configure/groups";
const NOBODY = "99999999-0000-4000-8000-000000000001";
type Json = Record<string, unknown>;

let admin: Administration;
beforeEach(async () => {
  admin = await startAdministration();
});

const guards = (): UserGroup | undefined => admin.site.groups.find(({ id }) => id === GUARDS_ID);

describe("/configure/groups", () => {
  it("shows groups with the members of the wire and ours, and the revision as entity tag", async () => {
    const { status, json, etag } = await admin.call("GET", PATH);
    expect([status, etag]).toEqual([200, '"2"']);
    const rights = Object.fromEntries(
      GROUP_RIGHTS.map((right) => [right, !["IsAllForbidden", "CanConfigure"].includes(right)]),
    );
    expect((json as Json[])[1]).toEqual({
      Id: GUARDS_ID,
      Name: "Guards",
      Comment: "night shift",
      IsSeniorAdministrators: false,
      PtzPriority: "Low",
      GridTypesAllowed: ["GridType1", "GridType12X11"],
      DirectoryGroups: [],
      Rights: rights,
      ChannelsAccessOptions: {
        ChannelsArchiveAllowed: [YARD_ID],
        ChannelsRealtimeAllowed: [GATE_ID, YARD_ID],
        AllArchiveAllowed: false,
        AllRealtimeAllowed: false,
      },
    });
    expect((await admin.call("GET", `${PATH}/${GUARDS_ID.toUpperCase()}`)).json).toEqual((json as Json[])[1]);
  });

  it("names all channels of senior administrators", async () => {
    const { json } = await admin.call("GET", `${PATH}/${ADMINISTRATORS_ID}`);
    expect(json).toMatchObject({
      IsSeniorAdministrators: true,
      ChannelsAccessOptions: {
        ChannelsArchiveAllowed: [GATE_ID, YARD_ID, STORE_ID],
        AllArchiveAllowed: true,
      },
    });
  });

  it("takes back what it showed without a new revision", async () => {
    const { json } = await admin.call("GET", PATH);
    const put = await admin.call("PUT", PATH, json);
    expect([put.status, put.etag]).toEqual([200, '"2"']);
    expect(put.json).toEqual({ ModifiedObjectsIds: [ADMINISTRATORS_ID, GUARDS_ID] });
  });

  it("adds a group without rights and channels unless they are given", async () => {
    const body = [
      { Name: " Visitors " },
      {
        Name: "Office",
        Comment: null,
        Rights: { CanPTZ: true, canreceivesound: true },
        DirectoryGroups: ["CN=Office,DC=example,DC=com", "office"],
        ChannelsAccessOptions: {
          ChannelsRealtimeAllowed: [`{${GATE_ID.toUpperCase()}}`],
          AllArchiveAllowed: true,
        },
      },
    ];
    const { status, json } = await admin.call("POST", PATH, body);
    expect(status).toBe(200);
    const [visitors, office] = admin.site.groups.slice(2);
    expect(json).toEqual({ CreatedObjectsIds: [visitors?.id, office?.id] });
    expect(visitors).toMatchObject({ name: "Visitors", realtimeChannels: [], archiveChannels: [] });
    expect(Object.values(visitors?.rights ?? { none: true })).not.toContain(true);
    expect(office).toMatchObject({
      rights: { CanPTZ: true, CanReceiveSound: true, CanManageRec: false },
      directoryGroups: ["CN=Office,DC=example,DC=com", "office"],
      realtimeChannels: [GATE_ID],
      archiveChannels: "all",
    });
  });

  it("changes only the members that are given", async () => {
    const before = guards();
    await admin.call("PUT", PATH, [{ Id: GUARDS_ID, Comment: null, Rights: { CanPTZ: false } }]);
    expect(guards()).toEqual({ ...before, comment: null, rights: { ...before?.rights, CanPTZ: false } });
  });

  it("makes senior administrators of a group, with every right and channel", async () => {
    expect((await admin.call("PUT", PATH, [{ Id: GUARDS_ID, IsSeniorAdministrators: true }])).status).toBe(
      200,
    );
    expect(guards()).toMatchObject({
      realtimeChannels: "all",
      rights: { CanConfigure: true, IsAllForbidden: false },
    });
  });

  it.each<[string, Json, string, number?]>([
    ["a right that is no boolean", { Rights: { CanPTZ: "yes" } }, "[1].Rights.CanPTZ: true or false"],
    ["an empty name", { Name: " " }, "[1].Name: a name that is not empty"],
    ["a name with a line break", { Name: "a\nb" }, "[1].Name: one line without control characters"],
    [
      "the name of another group",
      { Name: "senior ADMINISTRATORS" },
      "[1].Name: another group has this name",
      409,
    ],
    ["a list that is none", { GridTypesAllowed: "all" }, "[1].GridTypesAllowed: a list"],
    [
      "an unknown channel",
      { ChannelsAccessOptions: { ChannelsArchiveAllowed: [NOBODY] } },
      `[1].ChannelsAccessOptions.ChannelsArchiveAllowed: no channel has the id ${NOBODY}`,
      404,
    ],
    [
      "a channel that is no GUID",
      { ChannelsAccessOptions: { ChannelsRealtimeAllowed: [GATE_ID, 7] } },
      "[1].ChannelsAccessOptions.ChannelsRealtimeAllowed[1]: a GUID",
    ],
    [
      "a channel named twice",
      { ChannelsAccessOptions: { ChannelsRealtimeAllowed: [GATE_ID, GATE_ID] } },
      "[1].ChannelsAccessOptions.ChannelsRealtimeAllowed: a channel is named twice",
      409,
    ],
    [
      "a list that contradicts its flag",
      { ChannelsAccessOptions: { ChannelsRealtimeAllowed: [GATE_ID], AllRealtimeAllowed: true } },
      "[1].ChannelsAccessOptions.ChannelsRealtimeAllowed: contradicts AllRealtimeAllowed: true",
      409,
    ],
    [
      "senior administrators without a right",
      { IsSeniorAdministrators: true, Rights: { CanPTZ: false } },
      "[1].Rights.CanPTZ: senior administrators have every right: true",
      409,
    ],
  ])("refuses %s, names it, and changes nothing", async (_name, change, message, status = 400) => {
    const before = admin.site;
    const good = { Id: ADMINISTRATORS_ID, Comment: "changed" };
    const answer = await admin.call("PUT", PATH, [good, { Id: GUARDS_ID, ...change }]);
    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toContain(message);
    expect(admin.site).toBe(before);
  });

  it("names several faults at once", async () => {
    const answer = await admin.call("PUT", PATH, [
      { Id: GUARDS_ID, Comment: 1, Rights: { CanPTZ: 0, CanShutdown: 1 } },
    ]);
    for (const at of ["[0].Comment: ", "[0].Rights.CanPTZ: ", "[0].Rights.CanShutdown: "])
      expect(errorOf(answer)).toContain(at);
  });

  it.each<[string, unknown, number, string]>([
    ["no JSON", "{", 400, "the body is not JSON"],
    ["an object", { Name: "x" }, 400, "the body: a list"],
    ["a number in the list", [7], 400, "[0]: an object"],
    ["nesting without end", "[".repeat(100_000) + "]".repeat(100_000), 400, "nests deeper"],
    ["no id", [{ Name: "x" }], 400, "[0].Id: is required"],
    ["an id twice", [{ Id: GUARDS_ID }, { Id: GUARDS_ID }], 409, "[1].Id: occurs twice in the body"],
    ["an unknown id", [{ Id: NOBODY }], 404, `[0].Id: there is no group ${NOBODY}: see GET ${PATH}`],
    ["257 objects", Array.from({ length: 257 }, () => ({})), 400, "at most 256 objects"],
  ])("refuses a PUT of %s", async (_name, body, status, message) => {
    const answer = await admin.call("PUT", PATH, body);
    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toContain(message);
    expect(admin.site.revision).toBe(2);
  });

  it("takes an empty array as no change", async () => {
    expect(await admin.call("PUT", PATH, [])).toMatchObject({
      status: 200,
      json: { ModifiedObjectsIds: [] },
    });
    expect(await admin.call("POST", PATH, [])).toMatchObject({
      status: 200,
      json: { CreatedObjectsIds: [] },
    });
    expect(admin.site.revision).toBe(2);
  });

  it("gives new ids itself", async () => {
    const answer = await admin.call("POST", PATH, [{ Id: NOBODY, Name: "x" }, {}]);
    expect(errorOf(answer)).toContain("[0].Id: is given by the server: leave it out");
    expect(errorOf(answer)).toContain("[1].Name: is required");
  });

  it("is not open to __proto__", async () => {
    const answer = await admin.call(
      "PUT",
      PATH,
      `[{"Id":"${GUARDS_ID}","Rights":{"__proto__":{"CanPTZ":true}}}]`,
    );
    expect([answer.status, answer.text]).toEqual([
      200,
      expect.stringContaining("[0].Rights.__proto__: there"),
    ]);
    expect(({} as Json).CanPTZ).toBeUndefined();
  });

  it("does not delete a group with users, and says what to do", async () => {
    const answer = await admin.call("DELETE", `${PATH}/${GUARDS_ID}`);
    expect(answer.status).toBe(409);
    expect(errorOf(answer)).toBe(
      "the group Guards has users (1: guard): assign them another group first, or delete them",
    );
    expect(admin.site.revision).toBe(2);
  });

  it("deletes an unused group, from views as well", async () => {
    await admin.call("DELETE", `/configure/users/${admin.site.users[1]?.id}`);
    await admin.call("POST", "/configure/views", [
      { Name: "Wall", GroupIds: [GUARDS_ID, ADMINISTRATORS_ID] },
    ]);
    const answer = await admin.call("DELETE", `${PATH}/${GUARDS_ID}`);
    expect(answer).toMatchObject({ status: 200, json: { DeletedObjectsIds: [GUARDS_ID] } });
    expect(guards()).toBeUndefined();
    expect(admin.site.views).toMatchObject([{ groupIds: [ADMINISTRATORS_ID] }]);
    expect((await admin.call("GET", `${PATH}/${GUARDS_ID}`)).status).toBe(404);
    expect((await admin.call("DELETE", `${PATH}/${GUARDS_ID}`)).status).toBe(404);
  });

  it("does not take their rank from the last senior administrators", async () => {
    const answer = await admin.call("PUT", PATH, [{ Id: ADMINISTRATORS_ID, IsSeniorAdministrators: false }]);
    expect(answer.status).toBe(409);
    expect(errorOf(answer)).toContain("at least one senior administrator who can log in must remain");
  });
});
