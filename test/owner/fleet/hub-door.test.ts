import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { HubCeiling } from "../../../src/contract/index.js";
import { GROUP_RIGHTS } from "../../../src/contract/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import type { HubUser } from "../../../src/fleet/link/identity.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { ALICE } from "../../support/fleet/fleet-bench.js";
import { askDoor } from "../../support/fleet/hub-door.js";

const ADMINISTRATOR: HubUser = { ...ALICE, Name: "root", IsAdministrator: true };
const PTZ = `/ptz?channelid=${GATE_ID}&command=startmove&panspeed=10`;

const api = forEachTest(() => startApi());
let door: string;

beforeEach(async () => {
  door = path.join(api.dataDir, "hub.sock");
  const opened = await api.server.openHubDoor(door);
  return () => opened.stop();
});

function admit(ceiling: HubCeiling): void {
  api.access.admission = { hub: "hub.example:7443", ceiling, mayUpdate: false };
}

const status = async (...asked: [string, Parameters<typeof askDoor>[2]]) =>
  (await askDoor(door, ...asked)).status;

describe("a hub that may look", () => {
  beforeEach(() => admit("Look"));

  it("shows its user the cameras and who the user is here", async () => {
    expect(await status("/api/channels", { user: ALICE })).toBe(200);
    expect(JSON.parse((await askDoor(door, "/api/session", { user: ALICE })).body)).toMatchObject({
      ...{
        Login: "alice @ hub.example:7443",
        IsAdministrator: false,
        IsRoot: false,
        CanChangePassword: false,
      },
      Rights: { CanReceiveMainStream: true, CanPTZ: false },
    });
  });

  it("lets not even an administrator of the hub configure, delete or see users", async () => {
    const user = ADMINISTRATOR;

    expect(await status("/configure/users", { user })).toBe(403);
    expect(await status(`/configure/channels/${GATE_ID}`, { user, method: "DELETE" })).toBe(403);
    expect(await status("/api/system/certificate/acme", { user })).toBe(403);
    expect(await status("/api/hub", { user, method: "PUT", body: { Ceiling: "Everything" } })).toBe(403);
  });

  it("lets nobody move a camera, lock recordings or leave marks", async () => {
    const user = ADMINISTRATOR;
    const span = { FromTime: "2023-11-21T09:00:00Z", ToTime: "2023-11-21T09:10:00Z" };

    expect(await status(PTZ, { user })).toBe(403);
    expect(await status(`/api/channels/${GATE_ID}/protected`, { user, method: "POST", body: span })).toBe(
      403,
    );
    const mark = { Time: "2023-11-21T09:00:00Z", Name: "the blue van" };
    expect(await status(`/api/channels/${GATE_ID}/bookmarks`, { user, method: "POST", body: mark })).toBe(
      403,
    );
  });
});

describe("a hub that may operate", () => {
  beforeEach(() => admit("Operate"));

  it("lets its user do what the user may at the hub", async () => {
    expect(await status(PTZ, { user: ALICE })).toBe(200);
  });

  it("gives nobody a right that the user does not have at the hub", async () => {
    expect(await status(PTZ, { user: { ...ALICE, Rights: [] } })).toBe(403);
    expect(await status(`/video?channelid=${GATE_ID}`, { user: { ...ALICE, Rights: [] } })).toBe(403);
  });

  it("shows no camera to a user who may watch none at the hub", async () => {
    expect(
      (await askDoor(door, "/api/channels", { user: { ...ALICE, Realtime: false, Archive: false } })).body,
    ).not.toContain(GATE_ID);
  });

  it("lets nobody in whom the hub forbids everything", async () => {
    expect(await status("/api/channels", { user: { ...ALICE, Rights: [...GROUP_RIGHTS] } })).toBe(403);
  });
});

describe("a hub that may do everything", () => {
  beforeEach(() => admit("Everything"));

  it("lets an administrator of the hub configure", async () => {
    expect(await status("/configure/users", { user: ADMINISTRATOR })).toBe(200);
  });

  it("lets nobody else configure", async () => {
    expect(
      await status("/configure/users", {
        user: { ...ALICE, Rights: GROUP_RIGHTS.filter((right) => right !== "IsAllForbidden") },
      }),
    ).toBe(403);
  });

  it("gives nobody a password here", async () => {
    const body = { Password: "correct horse battery staple" };

    expect(await status("/api/session/password", { user: ADMINISTRATOR, method: "POST", body })).toBe(403);
  });
});

describe("the door of the hub", () => {
  beforeEach(() => admit("Everything"));

  it("takes no login of this recorder", async () => {
    const authorization = `Basic ${Buffer.from("root:root").toString("base64")}`;

    expect(await status("/api/channels", { headers: { authorization } })).toBe(401);
    expect(
      await status("/api/session", {
        user: ALICE,
        method: "POST",
        body: { Login: "root", Password: "root" },
      }),
    ).toBe(403);
  });

  it("is shut once the recorder belongs to no hub", async () => {
    api.access.admission = undefined;

    expect(await status("/api/channels", { user: ALICE })).toBe(401);
  });

  it("is the only one at which the name of a hub's user counts", async () => {
    const named = Buffer.from(JSON.stringify(ADMINISTRATOR)).toString("base64url");
    const answer = await fetch(api.url("/api/channels"), { headers: { "nvrd-hub-user": named } });

    expect(answer.status).toBe(401);
  });

  it("puts what a user of the hub has changed among the events, under the user's name", async () => {
    await askDoor(door, PTZ, { user: ALICE });

    expect(api.events.raised.at(-1)).toMatchObject({
      ...{ typeId: EVENT_TYPES.hubUserActed.id, comment: "GET /ptz" },
      initiator: { name: "alice @ hub.example:7443" },
    });
  });

  it("never takes a hub's user for one of this recorder's, whatever id the hub says", async () => {
    const rootId = api.site.current.users[0]?.id ?? "";
    const { body } = await askDoor(door, "/api/session", { user: { ...ALICE, Id: rootId } });

    expect(JSON.parse(body).UserId).not.toBe(rootId);
  });
});
