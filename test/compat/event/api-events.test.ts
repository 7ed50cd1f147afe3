import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANALYTICS_MEMBERS } from "../../../src/compat/event/analytics-members.js";
import { EVENTS_BURST_MAX, EVENTS_PER_SECOND_MAX } from "../../../src/compat/event/event-rate.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import type { UserGroup } from "../../../src/site/index.js";
import { changeGuards, GATE_ID, rights, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { apiByClock, ROOT_QUERY, until } from "../../support/api/api-harness.js";
import { readLiveItems } from "../../support/api/event-items.js";
import { RawClient } from "../../support/http/raw-http.js";

const PLATE = EVENT_TYPES.plateRecognized.id;
const { api, clock } = apiByClock(NINE_US);

async function add(body: unknown, credentials = ROOT_QUERY): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return await fetch(api.url(`/api/events?${credentials}`), { method: "POST", body: text });
}

const plate = (change: object = {}): object => ({ EventId: PLATE, ChannelId: GATE_ID, ...change });

async function asGuard(change: Partial<UserGroup>): Promise<void> {
  await changeGuards(api.site, change);
}

describe("POST /api/events", () => {
  it("adds a plate that /event shows and a search finds", async () => {
    const client = new RawClient(api.port);
    client.get(`/event?${ROOT_QUERY}&filter=${PLATE}`);
    await until("it listens", () => api.events.listeners === 1);
    const response = await add(
      plate({
        PlateText: "A123BC",
        Timestamp: "21.11.2026 08:59:59.500",
        Comment: "lane 2",
        speed: 54.5,
        Left: 0.125,
        Width: "0,25",
        IsIdentified: true,
        direction: "Up",
        lastName: "Ivanov",
      }),
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      Events: [
        { Sequence: 1, EventId: PLATE, ChannelId: GATE_ID, Timestamp: "2026-11-21T08:59:59.5000000Z" },
      ],
    });
    await until("the item", () => readLiveItems(client.body).length === 1);
    const members = Object.fromEntries(readLiveItems(client.body)[0]?.members ?? []);
    expect(members).toMatchObject({
      Timestamp: "21.11.2026 08:59:59",
      ChannelName: "Gate",
      Comment: "lane 2",
      InitiatorName: "ExternalEvent",
      IsIdentified: "True",
      plateText: "A123BC",
      Numberplate: "A123BC",
      Speed: "54,5",
      Left: "0,125",
      Width: "0,25",
      lastName: "Ivanov",
      direction: ["Up"],
    });
    client.destroy();
    const found = await fetch(api.url(`/archive_events?${ROOT_QUERY}`), {
      method: "POST",
      body: '{"eventInitiatorTypes":[8]}',
    });
    expect(await found.json()).toMatchObject([
      { EventId: PLATE, Event: { PlateText: "A123BC", Speed: 54.5, Left: 0.125, IsIdentified: true } },
    ]);
  });

  it("adds a list, at the moment it came where no time is given", async () => {
    const face = {
      eventid: EVENT_TYPES.faceRecognized.id.toUpperCase(),
      CHANNELID: YARD_ID,
      Similarity: 0.97,
    };
    const response = await add([plate({ IsAlarmEvent: true }), face]);
    const { Events } = (await response.json()) as { Events: { Sequence: number; Timestamp: string }[] };
    expect(Events.map((event) => [event.Sequence, event.Timestamp])).toEqual([
      [1, "2026-11-21T09:00:00.0000000Z"],
      [2, "2026-11-21T09:00:00.0000000Z"],
    ]);
    expect(api.events.raised.map((event) => [event.category, event.channelName])).toEqual([
      [1, "Gate"],
      [EVENT_TYPES.faceRecognized.category, 'Двор <north> & "south"'],
    ]);
  });

  it.each<[string, unknown, number?]>([
    ["JSON", "{"],
    ["[0]: must be an object", "5"],
    ["[0].EventId", { ChannelId: GATE_ID }],
    ["[0].EventId", plate({ EventId: EVENT_TYPES.serviceStopped.id })],
    ["[0].ChannelId", { EventId: PLATE }],
    ["[0].ChannelId", plate({ ChannelId: "99999999-0000-0000-0000-000000000001" }), 404],
    ["[0].Timestamp", plate({ Timestamp: "now" })],
    ["[0].Timestamp", plate({ Timestamp: "21.11.2026 09:01:01" }), 409],
    ["[0].Timestamp", plate({ Timestamp: "2026-11-14T08:59:59Z" }), 409],
    ["[0].Comment", plate({ Comment: "x".repeat(1001) })],
    ["[0].IsAlarmEvent", plate({ IsAlarmEvent: "yes" })],
    ["[0].plateText", plate({ plateText: 5 })],
    ["[0].plateText", plate({ plateText: "x".repeat(257) })],
    ["plateText: says otherwise than PLATETEXT", plate({ plateText: "A", PLATETEXT: "B" })],
    ["[0].Left", plate({ Left: 1.01 })],
    ["[0].Left", plate({ Left: "left" })],
    ["[0].Age", plate({ Age: 1.5 })],
    ["[0].IsIdentified", plate({ IsIdentified: "perhaps" })],
    ["[0].direction", plate({ direction: [1] })],
    ["[0].direction", plate({ direction: Array(17).fill("Up") })],
    ["[0].ImageBytes", plate({ ImageBytes: "not Base64!" })],
    ["[0].AlertTime", plate({ AlertTime: "later" })],
    ["[0].Plate", plate({ Plate: "A" })],
    ["[1].Top", [plate(), plate({ Top: -1 })]],
  ])("refuses a body and names %s", async (what, body, status = 400) => {
    const response = await add(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ ErrorMessage: expect.stringContaining(what) });
    expect(api.events.raised).toEqual([]);
  });

  it("adds or refuses, whatever the members hold", async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.double({ min: -2, max: 2, noNaN: true }),
      fc.constantFrom("True", "0,5", "1.5", true, 1e-7),
    );
    const name = fc.constantFrom(
      ...ANALYTICS_MEMBERS.map((member) => member.name),
      "Comment",
      "IsAlarmEvent",
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 3 }), async (members) => {
        clock.advance(1_000_000);
        const count = api.events.raised.length;
        const { status } = await add(plate(members));
        expect([200, 400]).toContain(status);
        expect(api.events.raised.length).toBe(status === 200 ? count + 1 : count);
        const { fields = {} } = api.events.raised.at(-1) ?? {};
        for (const { kind, name: kept } of ANALYTICS_MEMBERS)
          if (kind === "decimal") expect(fields[kept] ?? "0").toMatch(/^-?\d+(,\d+)?$/);
      }),
      { numRuns: 200 },
    );
  });

  it("is for users with the right to analytics, for channels they may see", async () => {
    await asGuard({});
    expect((await add(plate(), "login=guard")).status).toBe(200);
    const hidden = await add(plate({ ChannelId: STORE_ID }), "login=guard");
    const missing = await add(plate({ ChannelId: "99999999-0000-0000-0000-000000000001" }), "login=guard");
    expect([hidden.status, await hidden.text()]).toEqual([404, await missing.text()]);
    for (const right of ["CanAccessEditingAnalystPluginsInClient", "IsAllForbidden"] as const) {
      await asGuard({ rights: rights({ [right]: right === "IsAllForbidden" }) });
      expect((await add(plate(), "login=guard")).status).toBe(403);
    }
  });

  it("is held to a rate, by user and by address", async () => {
    expect((await add(Array(EVENTS_BURST_MAX).fill(plate()))).status).toBe(200);
    const refused = await add(plate());
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.json()).toEqual({ ErrorMessage: expect.stringContaining("a second") });
    // Another user behind the same address has no other share.
    await asGuard({});
    expect((await add(plate(), "login=guard")).status).toBe(429);
    clock.advance(1_000_000);
    expect((await add(Array(EVENTS_PER_SECOND_MAX).fill(plate()))).status).toBe(200);
    expect((await add(plate())).status).toBe(429);
    expect(api.events.raised).toHaveLength(EVENTS_BURST_MAX + EVENTS_PER_SECOND_MAX);
  });

  it("refuses more events at once than the rate ever allows", async () => {
    expect((await add(Array(EVENTS_BURST_MAX + 1).fill({}))).status).toBe(400);
  });
});
