import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { EMPTY_GUID, formatApiTimeMs } from "../../../src/base/index.js";
import { PAGE_END_MS_MAX } from "../../../src/compat/event/event-pages.js";
import { SEARCHES_PER_USER_MAX } from "../../../src/compat/event/event-searches.js";
import { EXPORT_EVENTS_MAX } from "../../../src/compat/event/get-specialarchiveevents.js";
import { ARCHIVE_EVENTS_ROUTE } from "../../../src/compat/event/post-archive-events.js";
import {
  EVENT_KINDS,
  EVENT_TYPES,
  type EventInput,
  type EventRecord,
  seenTypes,
} from "../../../src/event/index.js";
import { CHUNKED_ANSWER_MS_MAX } from "../../../src/route/answer/chunked-answer.js";
import type { UserGroup } from "../../../src/site/index.js";
import { changeGuards, GATE_ID, rights, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { apiByClock, ROOT_QUERY, until } from "../../support/api/api-harness.js";
import { type ReadItem, readItem } from "../../support/api/event-items.js";
import { expectGolden } from "../../support/api/golden.js";
import { inTimeZone } from "../../support/base/time-zone.js";
import { RawClient } from "../../support/http/raw-http.js";

const MOTION = EVENT_TYPES.motionDetected.id;
const SECOND_US = 1_000_000;

const { api, clock } = apiByClock(NINE_US);

const raise = (atUs: number, comment: string, change: Partial<EventInput> = {}): EventRecord =>
  api.events.raise({ typeId: MOTION, timeUs: NINE_US + atUs, channelId: GATE_ID, comment, ...change });

async function asGuard(change: Partial<UserGroup>): Promise<void> {
  await changeGuards(api.site, change);
}

it.each(EVENT_KINDS)("a list shows what cameras tell by its kind alone: %s", async (kind) => {
  const types = EVENT_KINDS.flatMap((one) => seenTypes(one));
  for (const [index, typeId] of types.entries()) raise(-(index + 1) * SECOND_US, typeId, { typeId });
  for (const typeId of seenTypes(kind)) {
    const body = JSON.stringify({ eventIds: [typeId], channelIds: [GATE_ID] });
    const response = await fetch(api.url(`/archive_events?${ROOT_QUERY}`), { method: "POST", body });
    const found = (await response.json()) as { readonly EventComment: string }[];
    expect(found.map(({ EventComment }) => EventComment)).toEqual([typeId]);
  }
});

describe("a text in POST /archive_events", () => {
  const found = async (body: object, query = ""): Promise<string[]> => {
    const response = await fetch(api.url(`/archive_events?${ROOT_QUERY}${query}`), {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { EventComment: string }[]).map(({ EventComment }) => EventComment);
  };

  it("is looked for in comments, names of types and cameras, and what was found, in any case", async () => {
    raise(-3 * SECOND_US, "a Courier");
    raise(-2 * SECOND_US, "somebody", { typeId: EVENT_TYPES.doorbellRung.id, channelName: "Gate" });
    raise(-SECOND_US, "a car", { typeId: EVENT_TYPES.plateRecognized.id, fields: { plateText: "A123BC" } });
    expect(await found({ text: "courier" })).toEqual(["a Courier"]);
    expect(await found({ text: EVENT_TYPES.doorbellRung.name })).toEqual(["somebody"]);
    expect(await found({ text: "a123" })).toEqual(["a car"]);
    expect(await found({ text: "nothing of the kind" })).toEqual([]);
  });

  it("is looked for with all else that is asked for", async () => {
    raise(-2 * SECOND_US, "a courier");
    raise(-SECOND_US, "a courier", { channelId: YARD_ID });
    expect(await found({ text: "courier", channelIds: [YARD_ID] })).toHaveLength(1);
  });

  it.each(["ab", "x".repeat(101)])("is refused as %s", async (text) => {
    const body = JSON.stringify({ text });
    expect((await fetch(api.url(`/archive_events?${ROOT_QUERY}`), { method: "POST", body })).status).toBe(
      400,
    );
  });

  it.each(["", " ", "ab", "   ", "abc", "x".repeat(100), "x".repeat(101)])(
    "is described as it is read: %j",
    async (text) => {
      const schema = ARCHIVE_EVENTS_ROUTE.describe.body?.schema;
      const isDescribed = new Ajv2020({ strict: false }).validate(schema ?? false, { text });
      const body = JSON.stringify({ text });
      const { status } = await fetch(api.url(`/archive_events?${ROOT_QUERY}`), { method: "POST", body });
      expect(status).toBe(isDescribed ? 200 : 400);
    },
  );

  const asksAsGuard = async (text: string): Promise<string[]> => {
    const body = JSON.stringify({ text });
    const response = await fetch(api.url("/archive_events?login=guard"), { method: "POST", body });
    return ((await response.json()) as { EventComment: string }[]).map(({ EventComment }) => EventComment);
  };

  it("is looked for once, among what nobody did and what the user did, where others' events are not shown", async () => {
    await asGuard({ rights: rights({ CanConfigure: false, CanAccessToAllUsersInUnifiedLog: false }) });
    const did = (atUs: number, id: string) =>
      raise(atUs, "looked at the courier", { initiator: { type: 1, id, name: "somebody" } });
    raise(-4 * SECOND_US, "a courier");
    did(-3 * SECOND_US, "66666666-0000-4000-8000-000000000002");
    did(-2 * SECOND_US, "66666666-0000-4000-8000-000000000001");
    raise(-SECOND_US, "a courier again");
    const searched = vi.spyOn(api.events, "search");
    expect(await asksAsGuard("courier")).toEqual(["a courier", "looked at the courier", "a courier again"]);
    expect(searched).toHaveBeenCalledTimes(1);
  });

  it("is looked for no longer than whoever asked waits", async () => {
    raise(-SECOND_US, "a courier");
    let signal: AbortSignal | undefined;
    vi.spyOn(api.events, "search").mockImplementation(async function* (query) {
      signal = query.signal;
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      signal?.throwIfAborted();
      yield [];
    });
    const leaving = new AbortController();
    const body = JSON.stringify({ text: "courier" });
    const asked = fetch(api.url(`/archive_events?${ROOT_QUERY}`), {
      ...{ method: "POST", body, signal: leaving.signal },
    });
    await until("it is searched", () => signal !== undefined);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await until("it has ended", () => signal?.aborted === true);
  });

  it("does not find what the user is not shown", async () => {
    await asGuard({ realtimeChannels: [YARD_ID], archiveChannels: [YARD_ID] });
    raise(-SECOND_US, "disk of Gate", { typeId: EVENT_TYPES.diskFailing.id, channelId: EMPTY_GUID });
    const ask = async (text: string): Promise<number> => {
      const body = JSON.stringify({ text });
      const response = await fetch(api.url("/archive_events?login=guard"), { method: "POST", body });
      return ((await response.json()) as unknown[]).length;
    };
    expect([await ask("disk of"), await ask("of Gate")]).toEqual([1, 0]);
  });
});

describe("/specialarchiveevents", () => {
  const HOUR = "starttime=21.11.2026+09:00:00&endtime=21.11.2026+10:00:00";

  async function exported(query: string, credentials = ROOT_QUERY): Promise<ReadItem[]> {
    const response = await fetch(api.url(`/specialarchiveevents?${credentials}&${query}`));
    const text = await response.text();
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    if (text === "") return [];
    expect(text.endsWith("\r\n}\r\n")).toBe(true);
    // Programs split between the braces that share a line: no brace stands anywhere else.
    return text
      .slice(0, -2)
      .split(/(?<=\})(?=\{)/)
      .map(readItem);
  }
  const comments = async (query: string, credentials?: string): Promise<string> =>
    (await exported(query, credentials)).map((item) => item.value("Comment")).join(" ");

  it("joins its items as }{ in ascending time, the last line is }", async () => {
    raise(2 * SECOND_US, "second");
    raise(1 * SECOND_US, "first");
    const response = await api.get(`/specialarchiveevents?${HOUR}`);
    const lines = (await response.text()).split("\r\n");
    expect(lines.filter((line) => line.includes("}{"))).toEqual(["}{"]);
    expect(lines.slice(-2)).toEqual(["}", ""]);
    expect(await comments(HOUR)).toBe("first second");
  });

  it("has an empty body when there are none", async () => {
    const response = await api.get(`/specialarchiveevents?${HOUR}`);
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  it("has alertType, AlertTime and TrajectoryId between the common members and the box", async () => {
    raise(0, "loiterer", { fields: { alertType: ["loitering"], TrajectoryId: "9", Left: "0,25", Top: "0" } });
    const [item] = await exported(HOUR);
    expect(item?.names).toBe(
      "EventId Timestamp BinaryTimestamp ZonedTimestamp EventDescription IsAlarmEvent ChannelId ChannelName Comment " +
        "EventType InitiatorName alertType AlertTime TrajectoryId Zoneid Left Top",
    );
    expect([item?.value("alertType"), item?.value("AlertTime"), item?.value("Left")]).toEqual([
      ["loitering"],
      "21.11.2026 09:00:00",
      "0,25",
    ]);
  });

  it("selects by type, channel and time, both ends included", async () => {
    raise(0, "start");
    raise(3600 * SECOND_US, "end");
    raise(3600 * SECOND_US + 1, "after");
    raise(1, "yard", { channelId: YARD_ID });
    raise(2, "fire", { typeId: EVENT_TYPES.fireDetected.id });
    expect(await comments(HOUR)).toBe("start yard fire end");
    expect(await comments(`${HOUR}&eventid=${MOTION}&channelid=${GATE_ID.toUpperCase()}`)).toBe("start end");
  });

  it.each([
    [400, "endtime=21.11.2026+10:00:00"],
    [400, "starttime=21.11.2026+10:00:00"],
    [400, "starttime=now&endtime=21.11.2026+10:00:00"],
    [200, "starttime=21.11.2026+11:00:00&endtime=21.11.2026+10:00:00"],
    [200, `${HOUR}&eventid=e37ac864-824f-4848-bc25-7dc87fb145c7`],
    [400, `${HOUR}&eventid=motion`],
    [400, `${HOUR}&eventid=${MOTION},${MOTION}`],
    [400, `${HOUR}&channelid=gate`],
  ])("answers %i to %s", async (status, query) => {
    expect((await api.get(`/specialarchiveevents?${query}`)).status).toBe(status);
  });

  it("answers 200, 400 or 404, whatever the parameters", async () => {
    const value = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom(
        "21.11.2026 09:00:00",
        "5250994502427387904",
        MOTION,
        GATE_ID,
        "json",
        "demo",
        "",
        EMPTY_GUID,
      ),
    );
    const name = fc.constantFrom(
      "starttime",
      "endtime",
      "eventid",
      "channelid",
      "responsetype",
      "filter",
      "mode",
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value), async (parameters) => {
        const query = new URLSearchParams(parameters).toString();
        for (const path of ["specialarchiveevents", "event"]) {
          const response = await fetch(api.url(`/${path}?${ROOT_QUERY}&${query}`), { method: "HEAD" });
          expect([200, 400, 404]).toContain(response.status);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("looks as programs expect it", async () => {
    raise(0, "one", { channelName: "Gate" });
    raise(1, "brace }", { typeId: EVENT_TYPES.faceRecognized.id, fields: { lastName: "Ivanov", Age: "41" } });
    const response = await inTimeZone("Europe/Moscow", () => api.get(`/specialarchiveevents?${HOUR}`));
    const golden = new URL("../../support/golden/specialarchiveevents.txt", import.meta.url);
    await expectGolden(golden, Buffer.from(await response.arrayBuffer()));
  });

  it("answers 404 for a channel the user may not see", async () => {
    const path = `/specialarchiveevents?login=guard&${HOUR}&channelid=${STORE_ID}`;
    expect((await fetch(api.url(path))).status).toBe(404);
  });

  it.each<[string, (item: ReadItem) => string]>([
    ["Timestamp", (item) => String(item.value("Timestamp")).replace(" ", "+")],
    [
      "ZonedTimestamp, in UTC",
      (item) =>
        String(item.value("ZonedTimestamp"))
          .replace(/ [+-]\d\d:\d\d$/, "")
          .replace(" ", "+"),
    ],
    ["BinaryTimestamp", (item) => String(item.value("BinaryTimestamp"))],
  ])(
    "gives each event once to a client that goes on from the last %s while answers are full",
    async (_what, next) => {
      // Times that crowd: up to thousands in one second, many in one microsecond.
      const crowd = fc.array(
        fc.record({
          second: fc.integer({ min: 0, max: 6 }),
          us: fc.integer({ min: 0, max: 3 }),
          count: fc.integer({ min: 1, max: 1200 }),
        }),
        { minLength: 1, maxLength: 3 },
      );
      await fc.assert(
        fc.asyncProperty(crowd, async (groups) => {
          api.events.raised.length = 0;
          clock.advance(PAGE_END_MS_MAX * 1000 + 1000);
          for (const { second, us, count } of groups)
            for (let index = 0; index < count; index++) raise(second * SECOND_US + us, "");
          for (const [index, event] of api.events.raised.entries())
            api.events.raised[index] = { ...event, comment: `#${event.sequence}` };
          const seen: unknown[] = [];
          let start = "21.11.2026+09:00:00";
          for (;;) {
            const page = await exported(`starttime=${start}&endtime=21.11.2026+10:00:00`);
            seen.push(...page.map((item) => item.value("Comment")));
            const last = page.at(-1);
            if (last === undefined || page.length % EXPORT_EVENTS_MAX !== 0) break;
            const following = next(last);
            // All there were, in the moment of the start: there is nothing to go on to.
            if (following === start) break;
            start = following;
          }
          const raised = api.events.raised.toSorted((a, b) => a.timeUs - b.timeUs || a.sequence - b.sequence);
          expect(seen).toEqual(raised.map((event) => event.comment));
        }),
        {
          numRuns: 5,
          examples: [
            [
              [
                { second: 0, us: 0, count: 1000 },
                { second: 1, us: 0, count: 1 },
              ],
            ],
          ],
        },
      );
    },
  );

  describe("a search after a full answer", () => {
    const LATE = "endtime=21.11.2026+10:00:00";
    beforeEach(async () => {
      for (let index = 0; index < 1500; index++) raise(index * 1_000_000, `#${index}`);
      await exported(`starttime=21.11.2026+09:00:00&${LATE}`);
    });
    const first = async (query: string, credentials?: string): Promise<unknown> =>
      (await exported(`starttime=21.11.2026+09:16:39&${query}`, credentials))[0]?.value("Comment");

    it("goes on behind its last event, however often it is asked", async () => {
      expect([await first(LATE), await first(LATE)]).toEqual(["#1000", "#1000"]);
    });

    it("goes on to an end that has moved with the clock", async () => {
      expect(await first("endtime=21.11.2026+10:00:01")).toBe("#1000");
    });

    it("includes its start for another user, channel, type or an earlier end", async () => {
      expect(await first(LATE, "login=guard")).toBe("#999");
      expect(await first(`${LATE}&channelid=${GATE_ID}`)).toBe("#999");
      expect(await first(`${LATE}&eventid=${MOTION}`)).toBe("#999");
      expect(await first("endtime=21.11.2026+09:17:00")).toBe("#999");
    });

    it("includes its start where it begins elsewhere, or much later", async () => {
      const [item] = await exported(`starttime=21.11.2026+09:16:38&${LATE}`);
      expect(item?.value("Comment")).toBe("#998");
      clock.advance(PAGE_END_MS_MAX * 1000 + 1);
      expect(await first(LATE)).toBe("#999");
    });
  });

  it.each([1, 2])(
    "ends for a client that goes on while counts are multiples of a thousand: %i times",
    async (k) => {
      for (let index = 0; index < k * EXPORT_EVENTS_MAX; index++) raise(index * 1_000_000, `#${index}`);
      const seen: unknown[] = [];
      const counts: number[] = [];
      let start = "21.11.2026+09:00:00";
      do {
        const page = await exported(`starttime=${start}&endtime=21.11.2026+10:00:00`);
        counts.push(page.length);
        seen.push(...page.map((item) => item.value("Comment")));
        start = String(page.at(-1)?.value("Timestamp") ?? start).replace(" ", "+");
      } while (counts.length < 10 && (counts.at(-1) ?? 0) % EXPORT_EVENTS_MAX === 0);
      // Nothing comes twice to a client that stops at an empty page; one that does not gets the last event again.
      expect(counts).toEqual([...Array.from({ length: k }, () => EXPORT_EVENTS_MAX), 0, 1]);
      expect(seen.at(-1)).toBe(seen.at(-2));
      expect(new Set(seen).size).toBe(k * EXPORT_EVENTS_MAX);
    },
  );

  it(`answers with at most ${EXPORT_EVENTS_MAX} where they do not all share a second`, async () => {
    for (let index = 0; index < 1500; index++) raise(index * 10_000, "");
    expect(await exported(HOUR)).toHaveLength(EXPORT_EVENTS_MAX);
  });
});

describe("/archive_events", () => {
  async function search(body: unknown, query = "", credentials = ROOT_QUERY): Promise<Response> {
    return await fetch(api.url(`/archive_events?${credentials}&${query}`), {
      method: "POST",
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }
  async function comments(body: unknown, credentials?: string): Promise<string> {
    const response = await search(body, "", credentials);
    const found = (await response.json()) as { EventComment: string }[];
    expect(response.status).toBe(200);
    return found.map((item) => item.EventComment).join(" ");
  }

  it("answers a bare JSON list with every member", async () => {
    raise(-1_234_567, "at the gate", { channelName: "Gate", category: 1 });
    const text = await (await search(undefined)).text();
    expect(text.startsWith("[{")).toBe(true);
    const [item] = JSON.parse(text) as object[];
    expect(Object.entries(item ?? {})).toEqual([
      ["ChannelId", GATE_ID],
      ["ChannelName", "Gate"],
      ["EventId", MOTION],
      ["EventCategory", 1],
      ["EventComment", "at the gate"],
      ["EventDescription", "Detected Motion"],
      ["EventInitiatorType", 0],
      ["EventInitiatorId", EMPTY_GUID],
      ["Timestamp", "2026-11-21T08:59:58.7654330Z"],
      ["Event", null],
      ["IsLongTermEvent", false],
    ]);
  });

  it("has the members of analytics as an object, numbers as numbers", async () => {
    const fields = { plateText: "A123BC", Left: "0,125", IsIdentified: "True", Age: "41", direction: ["Up"] };
    raise(-1, "", { typeId: EVENT_TYPES.plateRecognized.id, fields });
    const [item] = (await (await search({})).json()) as { Event: object }[];
    expect(item?.Event).toEqual({
      EventName: EVENT_TYPES.plateRecognized.name,
      EventTime: "2026-11-21T08:59:59.9999990Z",
      PlateText: "A123BC",
      Left: 0.125,
      IsIdentified: true,
      Age: 41,
      Direction: ["Up"],
    });
  });

  it("has the recorder's words in a language that is asked for, and those of others as they are", async () => {
    raise(-1, "seen by the recorder");
    const guest = { description: "Guest", initiator: { type: 8, id: EMPTY_GUID, name: "x" } } as const;
    raise(-2, "seen by the recorder", guest);
    const foundNames = async (query?: string): Promise<string[]> =>
      ((await (await search({}, query)).json()) as Record<string, string>[]).map(
        ({ EventDescription, EventComment }) => `${EventDescription}: ${EventComment}`,
      );
    expect(await foundNames("language=ru")).toEqual([
      "Guest: seen by the recorder",
      "Обнаружено движение: увидел регистратор",
    ]);
    expect(await foundNames("language=en")).toEqual([
      "Guest: seen by the recorder",
      `${EVENT_TYPES.motionDetected.name}: seen by the recorder`,
    ]);
    expect((await search({}, "language=de")).status).toBe(400);
  });

  it("has three members with shortevent", async () => {
    raise(-1, "");
    const [item] = (await (await search({}, "ShortEvent=True")).json()) as object[];
    expect(item).toEqual({ EventCategory: 1, EventId: MOTION, Timestamp: "2026-11-21T08:59:59.9999990Z" });
  });

  it.each<[string, unknown, string]>([
    ["no body", undefined, "gate yard fire system old"],
    ["an empty object", {}, "gate yard fire system old"],
    [
      "null members and empty lists",
      { startTimeUtc: null, eventIds: [], channelIds: [] },
      "gate yard fire system old",
    ],
    ["a start", { StartTimeUtc: "21.11.2026 08:00:00.000" }, "gate yard fire system"],
    ["an end, any case", { ENDTIMEUTC: "21.11.2026 08:00:00" }, "old"],
    ["channelIds", { channelIds: [YARD_ID.toUpperCase(), EMPTY_GUID] }, "yard system"],
    ["cameraIds", { CameraIds: [YARD_ID] }, "yard"],
    ["eventIds", { eventIds: [EVENT_TYPES.fireDetected.id] }, "fire"],
    ["categories", { eventCategories: [2] }, "system"],
    ["initiator types", { eventInitiatorTypes: [1, 8] }, "fire"],
    ["initiators", { eventInitiators: ["66666666-0000-4000-8000-000000000001"] }, "fire"],
    ["the last two", { searchLimitCount: 2 }, "fire system"],
    ["the first two", { searchLimitCount: 2, isSearchFromBegin: true }, "old gate"],
    ["more than can be", { searchLimitCount: 2_147_483_647 }, "gate yard fire system old"],
  ])("selects by %s", async (_what, body, expected) => {
    raise(-86_400 * SECOND_US, "old");
    raise(-3000 * SECOND_US, "gate");
    raise(-2000 * SECOND_US, "yard", { channelId: YARD_ID });
    const initiator = { type: 1, id: "66666666-0000-4000-8000-000000000001", name: "root" } as const;
    raise(-1000 * SECOND_US, "fire", { typeId: EVENT_TYPES.fireDetected.id, initiator });
    api.events.raise({ typeId: EVENT_TYPES.volumeLost.id, comment: "system", timeUs: NINE_US - 1 });
    raise(1, "later than the request");
    const found = (await comments(body)).split(" ");
    expect(found.toSorted()).toEqual(expected.split(" ").toSorted());
  });

  describe("by an initiator that is neither user nor system", () => {
    const MODULE = "91baab3e-ef9d-48c6-b803-2e70f4475960";
    const ROOT = "66666666-0000-4000-8000-000000000001";
    beforeEach(() => {
      raise(-3, "system");
      raise(-2, "root", { initiator: { type: 1, id: ROOT, name: "root" } });
      raise(-1, "module", { initiator: { type: 8, id: ROOT, name: "ExternalEvent" } });
    });

    it("finds what external modules posted", async () => {
      expect(await comments({ eventInitiators: [MODULE.toUpperCase()] })).toBe("module");
    });

    it("finds nothing of the modules where their type of initiator is left out", async () => {
      expect(await comments({ eventInitiators: [MODULE], eventInitiatorTypes: [0, 1] })).toBe("");
    });

    it("adds them to those of a user or of the system named with it", async () => {
      expect(await comments({ eventInitiators: [MODULE, ROOT] })).toBe("root module");
      expect(await comments({ eventInitiators: [MODULE, EMPTY_GUID] })).toBe("system module");
      expect(await comments({ eventInitiators: [EMPTY_GUID] })).toBe("system");
    });

    it("shows a user without the right to all users what modules posted, and no other user's doings", async () => {
      await asGuard({ rights: rights({ CanConfigure: false, CanAccessToAllUsersInUnifiedLog: false }) });
      expect(await comments({ eventInitiators: [MODULE, ROOT] }, "login=guard")).toBe("module");
    });
  });

  it.each<[string, unknown]>([
    ["startTimeUtc", { startTimeUtc: "yesterday" }],
    ["startTimeUtc", { STARTTIMEUTC: 5 }],
    ["endTimeUtc", { endTimeUtc: "2026-11-21T25:00:00Z" }],
    ["startTimeUtc", { startTimeUtc: "21.11.2026 09:00:00", endTimeUtc: "20.11.2026 09:00:00" }],
    ["isSearchFromBegin", { isSearchFromBegin: "yes" }],
    ["searchLimitCount", { searchLimitCount: 0 }],
    ["searchLimitCount", { searchLimitCount: 1.5 }],
    ["searchLimitCount", { searchLimitCount: "5" }],
    ["eventCategories", { eventCategories: [3] }],
    ["eventInitiatorTypes", { eventInitiatorTypes: [5] }],
    ["eventInitiators", { eventInitiators: ["root"] }],
    ["eventIds", { eventIds: "all" }],
    ["channelIds", { cameraIds: [1] }],
    ["channelIds", { channelIds: [GATE_ID], cameraIds: [YARD_ID] }],
    ["the body: must be an object", []],
    ["the body: must be an object", '"text"'],
    ["JSON", "{"],
  ])("answers 400 that names %s", async (member, body) => {
    const response = await search(body);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(member)]);
  });

  it("answers 400 or what is asked for, whatever the body", async () => {
    const members = fc.dictionary(
      fc.constantFrom(
        "startTimeUtc",
        "endtimeutc",
        "eventIds",
        "cameraIds",
        "searchLimitCount",
        "isSearchFromBegin",
      ),
      fc.oneof(fc.jsonValue(), fc.constant([MOTION]), fc.integer({ min: 1, max: 9 }), fc.boolean()),
    );
    for (let index = 0; index < 20; index++) raise(-index * SECOND_US, `#${index}`);
    await fc.assert(
      fc.asyncProperty(members, async (body) => {
        const response = await search(body);
        expect([200, 400]).toContain(response.status);
        if (response.status === 400) return;
        const found = (await response.json()) as { Timestamp: string }[];
        const limit = (body.searchLimitCount ?? 5000) as number;
        expect(found.length).toBeLessThanOrEqual(limit);
        const times = found.map((item) => item.Timestamp);
        expect(times).toEqual(times.toSorted());
      }),
      { numRuns: 150 },
    );
  });

  it("streams many events, holding no more than a piece for a client that takes nothing", async () => {
    for (let index = 0; index < 100_000; index++) raise(-index, "x".repeat(100));
    const client = new RawClient(api.port, { paused: true });
    const body = '{"searchLimitCount":100000}';
    client.send(
      `POST /archive_events?${ROOT_QUERY} HTTP/1.1\r\nHost: nvr\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until("the search is under way", () => api.events.searches === 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The client takes nothing, so the search waits, half done.
    expect(api.events.searches).toBe(1);
    client.resume();
    await until("the whole list", () => client.endsWith("]\r\n0\r\n\r\n"));
    expect((JSON.parse(client.body.toString("utf8")) as unknown[]).length).toBe(100_000);
    client.destroy();
  });

  it("cuts the answer when the user's rights change, or the client takes too long", async () => {
    for (let index = 0; index < 20_000; index++) raise(-index, "x".repeat(600));
    const body = '{"searchLimitCount":100000}';
    const clients = ["login=guard", "login=guard", ROOT_QUERY].map((credentials) => {
      const client = new RawClient(api.port, { paused: true });
      client.send(
        `POST /archive_events?${credentials} HTTP/1.1\r\nHost: nvr\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return client;
    });
    await until("the searches are under way", () => api.events.searches === 3, {
      seen: () => api.events.searches,
    });
    await asGuard({ archiveChannels: [GATE_ID] });
    clock.advance(200_000);
    await until("the guard's have ended", () => api.events.searches === 1, {
      seen: () => api.events.searches,
    });
    clock.advance(CHUNKED_ANSWER_MS_MAX * 1000);
    await until("root's has ended", () => api.events.searches === 0, { seen: () => api.events.searches });
    for (const client of clients) client.destroy();
  });

  it("runs a bounded number of searches of one user at once", async () => {
    for (let index = 0; index < 20_000; index++) raise(-index, "x".repeat(600));
    const body = '{"searchLimitCount":100000}';
    const clients = Array.from({ length: SEARCHES_PER_USER_MAX }, () => {
      const client = new RawClient(api.port, { paused: true });
      client.send(
        `POST /archive_events?${ROOT_QUERY} HTTP/1.1\r\nHost: nvr\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return client;
    });
    await until("the searches are under way", () => api.events.searches === SEARCHES_PER_USER_MAX);
    expect((await search({ searchLimitCount: 1 })).status).toBe(503);
    expect((await search({ searchLimitCount: 1 }, "", "login=guard")).status).toBe(200);
    for (const client of clients) client.destroy();
    await until("they have ended", () => api.events.searches === 0);
    expect((await search({ searchLimitCount: 1 })).status).toBe(200);
  });

  it("ends its search when the client leaves", async () => {
    for (let index = 0; index < 20_000; index++) raise(-index, "x".repeat(600));
    const client = new RawClient(api.port, { paused: true });
    const body = '{"searchLimitCount":100000}';
    client.send(
      `POST /archive_events?${ROOT_QUERY} HTTP/1.1\r\nHost: nvr\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until("the search is under way", () => api.events.searches === 1, {
      seen: () => api.events.searches,
    });
    client.destroy();
    await until("the search has ended", () => api.events.searches === 0, { seen: () => api.events.searches });
  });

  describe("within the user's rights", () => {
    const own = { type: 1, id: "66666666-0000-4000-8000-000000000002", name: "guard" } as const;
    const other = { type: 1, id: "66666666-0000-4000-8000-000000000001", name: "root" } as const;

    beforeEach(() => {
      raise(-9, "gate");
      raise(-8, "store", { channelId: STORE_ID });
      raise(-7, "own", { channelId: EMPTY_GUID, initiator: own });
      raise(-6, "others", { channelId: EMPTY_GUID, initiator: other });
      raise(-5, "system", { channelId: EMPTY_GUID });
      raise(-4, "removed", { channelId: "22222222-0000-4000-8000-00000000dead" });
      raise(-3, "own-gate", { initiator: own });
    });

    it("shows an administrator all, removed channels too", async () => {
      expect(await comments({})).toBe("gate store own others system removed own-gate");
    });

    it("shows a user the channels it may see", async () => {
      expect(await comments({}, "login=guard")).toBe("gate own others system own-gate");
      expect(await comments({ channelIds: [STORE_ID] }, "login=guard")).toBe("");
      expect(await comments({ channelIds: [STORE_ID, GATE_ID] }, "login=guard")).toBe("gate own-gate");
    });

    it("leaves out the names of cameras that the user may not see, those of the past as well", async () => {
      const store = api.site.current.cameras.find(({ id }) => id === STORE_ID)?.name ?? "";
      const recorder = { channelId: EMPTY_GUID };
      const gone = { ...recorder, typeId: EVENT_TYPES.configurationChanged.id };
      raise(-2, "revision 4: channel Removed Long Ago removed", gone);
      const update = { ...recorder, typeId: EVENT_TYPES.updateRolledBack.id };
      raise(-1, `1.0 to 1.1: cameras do not record as before: ${store}`, update);
      raise(0, `disk of ${store.toUpperCase()}`, { ...recorder, typeId: EVENT_TYPES.diskFailing.id });
      expect(await comments({})).toContain(
        `Removed Long Ago removed 1.0 to 1.1: cameras do not record as before: ${store}`,
      );
      const seen = await comments({}, "login=guard");
      expect(seen).toMatch(/ revision 4 1\.0 to 1\.1 disk of …$/);
      const from = "starttime=21.11.2026+08:00:00&endtime=21.11.2026+10:00:00";
      const exported = await (await fetch(api.url(`/specialarchiveevents?login=guard&${from}`))).text();
      expect(exported).toContain("disk of …");
      expect(exported).not.toMatch(new RegExp(`${store}|Removed Long Ago`, "i"));
    });

    it.each<[string, object, string]>([
      ["all", {}, "gate own system own-gate"],
      ["the last two", { searchLimitCount: 2 }, "system own-gate"],
      ["the last three", { searchLimitCount: 3 }, "own system own-gate"],
      ["the first two", { searchLimitCount: 2, isSearchFromBegin: true }, "gate own"],
      ["another user's", { eventInitiators: [other.id] }, ""],
      ["its own", { eventInitiators: [own.id] }, "own own-gate"],
      ["users'", { eventInitiatorTypes: [1] }, "own own-gate"],
    ])("without the right to all users, %s", async (_what, body, expected) => {
      await asGuard({ rights: rights({ CanConfigure: false, CanAccessToAllUsersInUnifiedLog: false }) });
      expect(await comments(body, "login=guard")).toBe(expected);
    });

    it.each(["CanAccessUnifiedLog", "IsAllForbidden"] as const)("refuses by %s", async (right) => {
      await asGuard({ rights: rights({ [right]: right === "IsAllForbidden" }) });
      expect((await search({}, "", "login=guard")).status).toBe(403);
      const now = formatApiTimeMs(NINE_US).replace(" ", "+");
      const path = `/specialarchiveevents?login=guard&starttime=${now}&endtime=${now}`;
      expect((await fetch(api.url(path))).status).toBe(403);
    });
  });
});

it("/archive_event_types names the types in the language that is asked for", async () => {
  const nameIn = async (language: string): Promise<unknown> => {
    const path = `/archive_event_types?responsetype=json${language}`;
    const types = (await (await api.get(path)).json()) as { Id: string; Name: string }[];
    return types.find(({ Id }) => Id === MOTION)?.Name;
  };
  expect(await nameIn("")).toBe("Detected Motion");
  expect(await nameIn("&language=ru")).toBe("Обнаружено движение");
  expect(await nameIn("&language=EN")).toBe("Detected Motion");
  expect((await api.get("/archive_event_types?language=fr")).status).toBe(400);
});

it("/archive_event_types lists the catalogue", async () => {
  const json = (await (await api.get("/archive_event_types?responsetype=json")).json()) as object[];
  expect(json).toContainEqual({ Id: MOTION, Name: "Detected Motion" });
  expect(json).toHaveLength(Object.keys(EVENT_TYPES).length);
  const xml = await (await api.get("/archive_event_types")).text();
  expect(xml).toContain("<ArrayOfEventType>\r\n  <EventType>\r\n    <Id>");
});
