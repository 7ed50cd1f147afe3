import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { withoutCameras } from "../../../src/site/index.js";
import { GATE_ID, ROOT_MD5, YARD_ID } from "../../support/api/api-fakes.js";
import { apiByClock, PROTECTED_BYTES_MAX } from "../../support/api/api-harness.js";
import { segmentOf } from "../../support/archive/segment-fixtures.js";
import { SIMULATED_START_US } from "../../support/base/simulated-clock.js";

const ROOT = `login=root&password=${ROOT_MD5}`;
const MINUTE_US = 60_000_000;
const HOUR_US = 60 * MINUTE_US;
const SEGMENT_BYTES = 10_000_000;

const { api, clock } = apiByClock();

interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

async function send(method: string, path: string, body?: unknown, user = ROOT): Promise<Answer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(api.url(`${path}?${user}`), {
    method,
    ...(body === undefined ? {} : { body: text }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const path = (channelId: string): string => `/api/channels/${channelId}/protected`;

/** Ends `minutes` before now. */
function iso(minutes: number): string {
  return new Date((clock.nowUs() - minutes * MINUTE_US) / 1000).toISOString();
}

function recordGate(minutes: number): void {
  for (let at = 0; at < minutes; at++) {
    const fromUs = SIMULATED_START_US - HOUR_US + at * MINUTE_US;
    const segment = segmentOf({ fromUs, bytes: SEGMENT_BYTES, gopUs: 10_000_000 });
    api.closedSegments.list.push({ ...segment, key: { channelId: GATE_ID, streamType: "Main" } });
  }
}

it("protects a time, lists it with who, when, why and its bytes, and lifts it", async () => {
  recordGate(60);
  const body = { FromTime: iso(50), ToTime: iso(47), Comment: "fence climbed\nsee report 12" };
  const created = await send("POST", path(GATE_ID), body);
  expect([created.status, created.json]).toEqual([
    200,
    {
      Id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ChannelId: GATE_ID,
      FromTime: "2023-12-31T23:10:00.0000000Z",
      ToTime: "2023-12-31T23:13:00.0000000Z",
      Comment: "fence climbed\nsee report 12",
      UserId: "66666666-0000-4000-8000-000000000001",
      UserName: "root",
      CreatedTime: "2024-01-01T00:00:00.0000000Z",
      Bytes: 3 * SEGMENT_BYTES,
    },
  ]);
  expect((await send("GET", path(GATE_ID))).json).toEqual([created.json]);
  expect((await send("GET", path(YARD_ID))).json).toEqual([]);
  const id = String(created.json.Id);
  expect((await send("DELETE", `${path(YARD_ID)}/${id}`)).status).toBe(404);
  expect(await send("DELETE", `${path(GATE_ID)}/${id.toUpperCase()}`)).toEqual({
    status: 200,
    json: { Id: id },
  });
  expect((await send("GET", path(GATE_ID))).json).toEqual([]);
  expect((await send("DELETE", `${path(GATE_ID)}/${id}`)).status).toBe(404);
});

it("tells in the event log who protected a time, and who lifted it", async () => {
  recordGate(60);
  const { json } = await send("POST", path(GATE_ID), {
    FromTime: iso(50),
    ToTime: iso(47),
    Comment: "fence",
  });
  await send("DELETE", `${path(GATE_ID)}/${String(json.Id)}`);
  const initiator = { type: 1, id: "66666666-0000-4000-8000-000000000001", name: "root" };
  expect(api.events.raised).toMatchObject([
    {
      typeId: EVENT_TYPES.archiveProtected.id,
      channelId: GATE_ID,
      channelName: "Gate",
      comment: "2023-12-31T23:10:00.0000000Z to 2023-12-31T23:13:00.0000000Z: fence",
      initiator,
    },
    {
      typeId: EVENT_TYPES.archiveProtectionLifted.id,
      channelId: GATE_ID,
      comment: `entry ${String(json.Id)}`,
      initiator,
    },
  ]);
});

it("counts segments that are only partly within whole", async () => {
  recordGate(60);
  const { json } = await send("POST", path(GATE_ID), { FromTime: iso(50.5), ToTime: iso(49.5) });
  expect(json.Bytes).toBe(2 * SEGMENT_BYTES);
});

it("takes times of both spellings", async () => {
  const body = { FromTime: "31.12.2023 23:10:00", ToTime: "2024-01-01T01:13:00+02:00" };
  const { json } = await send("POST", path(GATE_ID), body);
  expect([json.FromTime, json.ToTime]).toEqual([
    "2023-12-31T23:10:00.0000000Z",
    "2023-12-31T23:13:00.0000000Z",
  ]);
});

it("refuses what would be beyond the share that may be protected, and protects nothing of it", async () => {
  recordGate(60);
  const most = PROTECTED_BYTES_MAX / SEGMENT_BYTES;
  const first = await send("POST", path(GATE_ID), { FromTime: iso(50), ToTime: iso(50 - most) });
  expect([first.status, first.json.Bytes]).toEqual([200, PROTECTED_BYTES_MAX]);
  const inside = await send("POST", path(GATE_ID), { FromTime: iso(49), ToTime: iso(47) });
  expect(inside.status).toBe(200);
  const more = await send("POST", path(GATE_ID), { FromTime: iso(30), ToTime: iso(29) });
  expect(more.status).toBe(409);
  expect(more.json.ErrorMessage).toMatch(
    /110000000 bytes of a volume would be protected, 100000000 are allowed/,
  );
  expect((await send("GET", path(GATE_ID))).json).toHaveLength(2);
});

it.each([
  ["no body", "", /not JSON/],
  ["no times", {}, /FromTime: is missing; ToTime: is missing/],
  ["another spelling", { FromTime: "yesterday", ToTime: "2024-01-01T00:00:00Z" }, /FromTime: is not a time/],
  ["a day that is none", { FromTime: "2023-02-31T00:00:00Z", ToTime: "2024-01-01T00:00:00Z" }, /FromTime/],
  ["times that are numbers", { FromTime: 1, ToTime: 2 }, /FromTime: must be a text; ToTime: must be a text/],
  [
    "an end before the start",
    { FromTime: "2023-12-31T23:00:00Z", ToTime: "2023-12-31T22:00:00Z" },
    /earlier/,
  ],
  ["an end in the future", { FromTime: "2023-12-31T23:00:00Z", ToTime: "2024-01-01T01:00:00Z" }, /future/],
  ["more than a month", { FromTime: "2023-10-31T23:00:00Z", ToTime: "2023-12-31T01:00:00Z" }, /31 days/],
  [
    "a long comment",
    { FromTime: "2023-12-31T23:00:00Z", ToTime: "2023-12-31T23:01:00Z", Comment: "x".repeat(1001) },
    /Comment: at most 1000/,
  ],
])("refuses %s", async (_what, body, message) => {
  const { status, json } = await send("POST", path(GATE_ID), body);
  const isPair = /earlier|future|31 days/.test(message.source);
  expect([status, json.ErrorMessage]).toEqual([isPair ? 409 : 400, expect.stringMatching(message)]);
  expect((await send("GET", path(GATE_ID))).json).toEqual([]);
});

it("lets senior administrators lift what was protected of a camera that is gone", async () => {
  const { json } = await send("POST", path(GATE_ID), { FromTime: iso(50), ToTime: iso(40) });
  await api.site.change((site) => withoutCameras(site, [GATE_ID]));
  expect((await send("GET", path(GATE_ID), undefined, "login=guard")).status).toBe(404);
  expect((await send("GET", path(GATE_ID))).json).toHaveLength(1);
  expect((await send("DELETE", `${path(GATE_ID)}/${String(json.Id)}`)).status).toBe(200);
  expect((await send("GET", path(GATE_ID))).status).toBe(404);
});

it("keeps a camera from being deleted with its archive, without it not", async () => {
  await send("POST", path(GATE_ID), { FromTime: iso(50), ToTime: iso(40) });
  const refused = await fetch(api.url(`/configure/channels/${GATE_ID}?archive=delete&${ROOT}`), {
    method: "DELETE",
  });
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("protected")]);
  expect(api.site.current.cameras.some(({ id }) => id === GATE_ID)).toBe(true);
  expect((await send("DELETE", `/configure/channels/${GATE_ID}`)).status).toBe(200);
});

it("says so when the protection cannot be kept, and protects nothing", async () => {
  await rm(api.dataDir, { recursive: true });
  const { status } = await send("POST", path(GATE_ID), { FromTime: iso(50), ToTime: iso(40) });
  expect(status).toBe(503);
  expect((await send("GET", path(GATE_ID))).json).toEqual([]);
});

it("keeps two copies", async () => {
  await send("POST", path(GATE_ID), { FromTime: iso(50), ToTime: iso(40), Comment: "theft" });
  const [main, copy] = await Promise.all(
    ["protected.json", "protected.json.copy"].map((name) => readFile(join(api.dataDir, name), "utf8")),
  );
  expect(main).toContain("theft");
  expect(copy).toBe(main);
});

it("lists what is protected of all channels, the newest first, with the channel's name", async () => {
  const make = async (id: string, comment: string): Promise<unknown> => {
    clock.advance(1_000_000);
    const body = { FromTime: iso(50), ToTime: iso(40), Comment: comment };
    return (await send("POST", path(id), body)).json.Id;
  };
  const [first, second] = [await make(GATE_ID, "fence"), await make(YARD_ID, "theft")];
  const all = (await send("GET", "/api/protected")).json as unknown as Record<string, unknown>[];
  expect(all.map(({ Id, ChannelName, Comment }) => [Id, ChannelName, Comment])).toEqual([
    [second, 'Двор <north> & "south"', "theft"],
    [first, "Gate", "fence"],
  ]);
});

it("lists to others only what is protected of channels whose archive is theirs, to administrators also of deleted cameras", async () => {
  for (const id of [GATE_ID, YARD_ID]) await send("POST", path(id), { FromTime: iso(50), ToTime: iso(40) });
  await api.site.change((site) => withoutCameras(site, [GATE_ID]));
  const channels = async (user?: string) =>
    ((await send("GET", "/api/protected", undefined, user)).json as unknown as Record<string, unknown>[])
      .map(({ ChannelId, ChannelName }) => [ChannelId, ChannelName])
      .sort();
  expect(await channels()).toEqual([
    [GATE_ID, ""],
    [YARD_ID, 'Двор <north> & "south"'],
  ]);
  expect(await channels("login=guard")).toEqual([[YARD_ID, 'Двор <north> & "south"']]);
});
