import { beforeEach, describe, expect, it } from "vitest";
import { type Administration, errorOf, startAdministration } from "../../support/api/administration.js";
import {
  GATE_ID,
  OUTSIDE_FOLDER_ID,
  ROOT_FOLDER_ID,
  STORE_ID,
  YARD_ID,
} from "../../support/api/api-fakes.js";

const PATH = "/configure/securityobjects";
const NOBODY = "99999999-0000-4000-8000-000000000001";
type Json = Record<string, unknown>;

let admin: Administration;
beforeEach(async () => {
  admin = await startAdministration();
});

const outside = { Id: OUTSIDE_FOLDER_ID, Name: "Outside", ParentId: ROOT_FOLDER_ID, ChildSecObjects: [] };

async function addFolder(body: Json): Promise<string> {
  const { json } = await admin.call("POST", PATH, [body]);
  return (json as { CreatedObjectsIds: string[] }).CreatedObjectsIds[0] ?? "";
}

describe("/configure/securityobjects", () => {
  it("shows the tree, and a part of it", async () => {
    expect((await admin.call("GET", PATH)).json).toEqual({
      Id: ROOT_FOLDER_ID,
      Name: null,
      ParentId: null,
      ChildSecObjects: [{ ...outside, ChildChannels: [YARD_ID] }],
      ChildChannels: [GATE_ID, STORE_ID],
    });
    const part = await admin.call("GET", `${PATH}/${OUTSIDE_FOLDER_ID}`);
    expect(part.json).toEqual({ ...outside, ChildChannels: [YARD_ID] });
  });

  it("takes the tree back without a new revision", async () => {
    const { json } = await admin.call("GET", PATH);
    expect((await admin.call("PUT", PATH, [json])).etag).toBe('"2"');
  });

  it("makes folders, moves them with what is in them, and renames them", async () => {
    const north = await addFolder({ Name: "North", ChildChannels: [GATE_ID] });
    const east = await addFolder({ Name: "East", ParentId: OUTSIDE_FOLDER_ID });
    await admin.call("PUT", PATH, [
      { Id: OUTSIDE_FOLDER_ID, ParentId: north },
      { Id: east, Name: "Far east" },
    ]);
    expect((await admin.call("GET", PATH)).json).toMatchObject({
      ChildSecObjects: [
        {
          Id: north,
          ChildChannels: [GATE_ID],
          ChildSecObjects: [
            {
              Id: OUTSIDE_FOLDER_ID,
              ChildChannels: [YARD_ID],
              ChildSecObjects: [{ Id: east, Name: "Far east" }],
            },
          ],
        },
      ],
      ChildChannels: [STORE_ID],
    });
  });

  it("puts channels into folders; those taken out go to the root", async () => {
    await admin.call("PUT", PATH, [{ Id: OUTSIDE_FOLDER_ID, ChildChannels: [STORE_ID] }]);
    expect(admin.site.rootSecurityObject).toMatchObject({
      channelIds: [GATE_ID, YARD_ID],
      children: [{ channelIds: [STORE_ID] }],
    });
    await admin.call("PUT", PATH, [{ Id: ROOT_FOLDER_ID, ChildChannels: [] }]);
    expect(admin.site.rootSecurityObject.channelIds).toEqual([GATE_ID, YARD_ID]);
  });

  it("deletes a folder; its folders and channels go to its parent", async () => {
    const inner = await addFolder({ Name: "Inner", ParentId: OUTSIDE_FOLDER_ID });
    expect((await admin.call("DELETE", `${PATH}/${OUTSIDE_FOLDER_ID}`)).status).toBe(200);
    expect(admin.site.rootSecurityObject).toMatchObject({
      channelIds: [GATE_ID, STORE_ID, YARD_ID],
      children: [{ id: inner }],
    });
  });

  it.each<[string, Json, number, string]>([
    [
      "into itself",
      { Id: OUTSIDE_FOLDER_ID, ParentId: OUTSIDE_FOLDER_ID },
      400,
      "[0].ParentId: a folder cannot",
    ],
    [
      "the root",
      { Id: ROOT_FOLDER_ID, ParentId: OUTSIDE_FOLDER_ID },
      400,
      "[0].ParentId: the root cannot be moved",
    ],
    [
      "to nowhere",
      { Id: OUTSIDE_FOLDER_ID, ParentId: NOBODY },
      404,
      "[0].ParentId: no security object has this id",
    ],
    [
      "an unknown channel",
      { Id: ROOT_FOLDER_ID, ChildChannels: [NOBODY] },
      404,
      "[0].ChildChannels: no channel",
    ],
    ["an unknown folder", { Id: NOBODY }, 404, `[0].Id: there is no security object ${NOBODY}`],
  ])("refuses to move %s", async (_name, body, status, message) => {
    const answer = await admin.call("PUT", PATH, [body]);
    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toContain(message);
    expect(admin.site.revision).toBe(2);
  });

  it("refuses a circle made by two moves at once", async () => {
    const north = await addFolder({ Name: "North" });
    const answer = await admin.call("PUT", PATH, [
      { Id: OUTSIDE_FOLDER_ID, ParentId: north },
      { Id: north, ParentId: OUTSIDE_FOLDER_ID },
    ]);
    expect([answer.status, errorOf(answer)]).toEqual([400, expect.stringContaining("moved into itself")]);
  });

  it("refuses a channel in two folders of one body", async () => {
    const bodies = [ROOT_FOLDER_ID, OUTSIDE_FOLDER_ID].map((Id) => ({ Id, ChildChannels: [GATE_ID] }));
    expect(errorOf(await admin.call("PUT", PATH, bodies))).toContain(
      "[1].ChildChannels: a channel is in two folders",
    );
  });

  it("does not delete the root", async () => {
    const answer = await admin.call("DELETE", `${PATH}/${ROOT_FOLDER_ID}`);
    expect([answer.status, errorOf(answer)]).toEqual([409, expect.stringContaining("root security object")]);
  });
});
