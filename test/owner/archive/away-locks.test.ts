import { afterEach, beforeEach, expect, it } from "vitest";
import type { AwayTargetState } from "../../../src/away/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { GATE_ID, ROOT_MD5 } from "../../support/api/api-fakes.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const ROOT = `login=root&password=${ROOT_MD5}`;
const TARGET_ID = "88888888-0000-4000-8000-000000000007";
const CELLAR = { id: TARGET_ID, name: "Cellar" } as AwayTargetState;

let api: ApiHarness;
let clock: SimulatedClock;
let protectedId = "";

beforeEach(async () => {
  clock = new SimulatedClock();
  api = await startApi({ clock });
  api.away.running = [CELLAR];
  const ago = (minutes: number) => new Date(clock.nowUs() / 1000 - minutes * 60_000).toISOString();
  const { json } = await send("POST", `/api/channels/${GATE_ID}/protected`, {
    ...{ FromTime: ago(50), ToTime: ago(40), Comment: "fence" },
  });
  protectedId = String((json as { Id: string }).Id);
});

afterEach(() => api.stop());

async function send(method: string, path: string, body?: unknown, user = ROOT) {
  const response = await fetch(api.url(`${path}?${user}`), {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as unknown };
}

const add = (body: object = {}) =>
  send("POST", "/api/away/locks", { ProtectedId: protectedId, UntilDay: "2030-12-31", ...body });
const raised = () =>
  api.events.raised
    .filter(({ typeId }) => typeId === EVENT_TYPES.awayLocked.id || typeId === EVENT_TYPES.awayLockLifted.id)
    .map(({ typeId, comment, initiator }) => ({
      ...{ typeId, comment, by: initiator?.name },
    }));

it("locks a protected time, lists, changes and lifts the lock, and tells who did it", async () => {
  const { status, json } = await add({ LegalHold: true });
  expect(status).toBe(200);
  const [lock] = json as { Id: string }[];
  expect(lock).toMatchObject({
    ...{ TargetName: "Cellar", ChannelId: GATE_ID, FromTime: "2023-12-31T23:10:00.0000000Z" },
    ...{ Mode: "Governance", UntilTime: "2031-01-01T00:00:00.0000000Z", LegalHold: true, UserName: "root" },
    ...{ IsLifted: false, Problem: null },
  });
  expect((await send("GET", "/api/away/locks")).json).toEqual(json);
  const path = `/api/away/locks/${lock?.Id}`;
  expect((await send("PUT", path, { UntilDay: "2031-12-31" })).json).toMatchObject({
    UntilTime: "2032-01-01T00:00:00.0000000Z",
    LegalHold: true,
  });
  expect((await send("PUT", path, { LegalHold: false })).json).toMatchObject({ LegalHold: false });
  expect((await send("DELETE", path)).json).toMatchObject({ IsLifted: true });
  expect((await send("DELETE", path)).status).toBe(404);
  const { awayLocked, awayLockLifted } = EVENT_TYPES;
  expect(raised().map(({ typeId, by }) => [typeId, by])).toEqual([
    [awayLocked.id, "root"],
    [awayLocked.id, "root"],
    [awayLockLifted.id, "root"],
    [awayLockLifted.id, "root"],
  ]);
  expect(raised()[0]?.comment).toMatch(/^Cellar: .*Governance until 2031-01-01.*, legal hold$/);
});

it.each([
  ["a mode without a day", { Mode: "Compliance", UntilDay: null }, 400],
  ["a day that is none", { UntilDay: "2030-02-31x" }, 400],
  ["a mode that is none", { Mode: "Strict" }, 400],
  ["a protected time that is not there", { ProtectedId: TARGET_ID }, 404],
  ["a target that is not on", { TargetId: GATE_ID }, 404],
])("refuses %s", async (_name, body, status) => {
  expect((await add(body)).status).toBe(status);
  expect(api.away.locked).toEqual([]);
});

it("passes on that the bucket has no object lock, and that compliance cannot be lifted", async () => {
  api.away.bucketNow = { ...api.away.bucketNow, hasLock: false };
  expect(await add()).toMatchObject({ status: 409 });
  api.away.bucketNow = { ...api.away.bucketNow, hasLock: true };
  const [lock] = (await add()).json as { Id: string }[];
  const path = `/api/away/locks/${lock?.Id}`;
  expect((await send("PUT", path, { Mode: "Compliance" })).json).toMatchObject({ Mode: "Compliance" });
  expect((await send("DELETE", path)).status).toBe(409);
  expect(api.away.locked).toMatchObject([{ mode: "compliance", isLifted: false }]);
  expect(raised()).toHaveLength(2);
});

it("names the targets that are on to who may lock, and nothing else of them", async () => {
  const names = await send("GET", "/api/away/targets", undefined, "login=guard");
  expect(names).toEqual({ status: 200, json: [{ Id: TARGET_ID, Name: "Cellar" }] });
});

it("needs the right CanManageRec and the channel's archive", async () => {
  const [lock] = (await add()).json as { Id: string }[];
  const path = `/api/away/locks/${lock?.Id}`;
  const guard = "login=guard";
  // The guard may manage recordings, of another channel.
  expect((await send("GET", "/api/away/locks", undefined, guard)).json).toEqual([]);
  expect((await send("POST", "/api/away/locks", { ProtectedId: protectedId }, guard)).status).toBe(404);
  expect((await send("PUT", path, { LegalHold: true }, guard)).status).toBe(404);
  expect((await send("DELETE", path, undefined, guard)).status).toBe(404);
  await api.site.change((site) => ({
    ...site,
    groups: site.groups.map((group) =>
      group.seniorAdministrators ? group : { ...group, rights: { ...group.rights, CanManageRec: false } },
    ),
  }));
  for (const [method, where] of [
    ["GET", "/api/away/locks"],
    ["DELETE", path],
  ] as const)
    expect((await send(method, where, undefined, guard)).status).toBe(403);
  expect(api.away.locked).toMatchObject([{ isLifted: false }]);
});
