import { describe, expect, it } from "vitest";
import { EMPTY_GUID } from "../../../src/base/index.js";
import { DEMO_PERIOD_MS } from "../../../src/compat/event/event-feed.js";
import { ITEM_GAP_MS, LISTENER_QUEUE_ITEMS_MAX } from "../../../src/compat/event/event-listener.js";
import { EVENT_TYPES, type EventInput } from "../../../src/event/index.js";
import {
  changeGuards,
  GATE_ID,
  type guardsGroup,
  rights,
  STORE_ID,
  YARD_ID,
} from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { apiByClock, ROOT_QUERY, until } from "../../support/api/api-harness.js";
import { type ReadItem, readChunks, readLiveItems } from "../../support/api/event-items.js";
import type { RawClient } from "../../support/http/raw-http.js";

const { api, clock } = apiByClock(NINE_US);

/** A listener whose head has come. */
async function listen(query = "", credentials = ROOT_QUERY): Promise<RawClient> {
  const client = api.connect();
  client.get(`/event?${credentials}&${query}`);
  const hasBegun = (): boolean => client.text.includes("\r\n2\r\n\r\n");
  await until("the head of the answer and its first line end", hasBegun, { seen: () => client.text });
  return client;
}

const items = (client: RawClient): ReadItem[] => readLiveItems(client.body);
const comments = (client: RawClient): string =>
  items(client)
    .map((item) => item.value("Comment"))
    .join(" ");
const motion = (comment: string, change: Partial<EventInput> = {}): void => {
  api.events.raise({ typeId: EVENT_TYPES.motionDetected.id, channelId: GATE_ID, comment, ...change });
};

/** Lets that many items go out, each after its gap. */
async function passGaps(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(ITEM_GAP_MS * 1000);
  }
}

describe("an item of /event", () => {
  it("comes whole, in one chunk, terminated on the wire with it, a blank line before and none after", async () => {
    const client = await listen();
    motion("one");
    await until("the item is there", () => client.text.endsWith("}\r\n2\r\n\r\n"));
    const chunks = readChunks(client.text);
    expect(chunks.map(({ terminated }) => terminated)).toEqual([true, true, false]);
    expect(chunks.map(({ data }) => data.slice(0, 3))).toEqual(["\r\n", "\r\n{", "\r\n"]);
    expect(chunks[1]?.data.endsWith("\r\n}")).toBe(true);
    expect(client.text).toMatch(/^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Content-Type: application\/json\r\n/);
    expect(client.body.subarray(0, 7).toString("utf8")).toBe("\r\n\r\n{\r\n");
  });

  it("has its members in order, all of them strings", async () => {
    const client = await listen();
    motion("at the gate", { channelName: "Gate", fields: { Zoneid: "7" } });
    await until("the item is there", () => items(client).length === 1);
    expect(items(client)[0]?.members).toEqual([
      ["EventId", "00000000-0000-0000-0000-000000000033"],
      ["Timestamp", "21.11.2026 09:00:00"],
      ["BinaryTimestamp", "5250994502427387904"],
      ["ZonedTimestamp", expect.stringMatching(/^21\.11\.2026 \d\d:\d\d:00\.000 [+-]\d\d:\d\d$/)],
      ["EventDescription", "Detected Motion"],
      ["IsAlarmEvent", expect.stringMatching(/^(True|False)$/)],
      ["ChannelId", GATE_ID],
      ["ChannelName", "Gate"],
      ["Comment", "at the gate"],
      ["EventType", expect.stringMatching(/^(Info|Alarm)$/)],
      ["InitiatorName", "System"],
      ["Zoneid", "7"],
    ]);
  });

  it("is the same under either responsetype", async () => {
    const clientsOfBoth = [await listen("responsetype=xml"), await listen("responsetype=JSON")];
    motion("same");
    for (const client of clientsOfBoth) await until("the item", () => items(client).length === 1);
    expect(clientsOfBoth[0]?.body).toEqual(clientsOfBoth[1]?.body);
  });

  it("reaches every listener, formatted once", async () => {
    const many: RawClient[] = [];
    for (let index = 0; index < 20; index++) many.push(await listen());
    for (let index = 0; index < 5; index++) motion(`event ${index}`);
    await passGaps(5);
    for (const client of many) await until("all five", () => items(client).length === 5);
    expect(api.server.eventCounts.formatted).toBe(5);
  });
});

describe("the keep-alive of /event", () => {
  it("comes each second in which nothing else was sent, even with a filter, Comment last", async () => {
    const client = await listen(`filter=${EVENT_TYPES.fireDetected.id}`);
    for (let count = 1; count <= 3; count++) {
      clock.advance(1_000_000);
      await until(`keep-alive ${count}`, () => items(client).length === count);
    }
    const [item] = items(client);
    expect(item?.names).toBe(
      "EventId Timestamp BinaryTimestamp ZonedTimestamp EventDescription IsAlarmEvent ChannelId ChannelName EventType " +
        "InitiatorName Comment",
    );
    expect(item?.members.slice(-2)).toEqual([
      ["InitiatorName", "System"],
      ["Comment", "KeepAlive"],
    ]);
    expect([item?.value("EventDescription"), item?.value("ChannelName"), item?.value("ChannelId")]).toEqual([
      "",
      "",
      EMPTY_GUID,
    ]);
  });

  it("waits a second from the last item, not longer", async () => {
    const client = await listen();
    clock.advance(900_000);
    motion("just before");
    await until("the event", () => items(client).length === 1);
    clock.advance(750_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(comments(client)).toBe("just before");
    clock.advance(500_000);
    await until("the keep-alive", () => items(client).length === 2);
    expect(comments(client)).toBe("just before KeepAlive");
  });

  it("stops with its last listener", async () => {
    const before = clock.timers;
    const client = await listen();
    expect(clock.timers).toBeGreaterThan(before);
    client.destroy();
    await until("nobody listens", () => api.events.listeners === 0 && clock.timers === before);
  });
});

describe("the parameters of /event", () => {
  const MOTION = EVENT_TYPES.motionDetected.id;
  it.each([
    ["nothing", "", "gate motion|yard motion|gate fire|system"],
    ["a type", `filter=${MOTION.toUpperCase()}`, "gate motion|yard motion"],
    ["a channel", `ChannelId=${GATE_ID}`, "gate motion|gate fire"],
    ["both", `channelid=${YARD_ID}&filter=${MOTION}`, "yard motion"],
  ])("select by %s", async (_what, query, expected) => {
    const client = await listen(query);
    motion("gate motion");
    motion("yard motion", { channelId: YARD_ID });
    motion("gate fire", { typeId: EVENT_TYPES.fireDetected.id });
    api.events.raise({ typeId: EVENT_TYPES.volumeLost.id, comment: "system" });
    const wanted = expected.split("|");
    await passGaps(4);
    await until("all of them", () => items(client).length >= wanted.length);
    clock.advance(1_250_000);
    await until("a keep-alive after them", () => comments(client).endsWith("KeepAlive"));
    expect(items(client).map((item) => item.value("Comment"))).toEqual([...wanted, "KeepAlive"]);
  });

  it.each([
    [400, `filter=${MOTION},${MOTION}`],
    [400, "filter=motion"],
    [400, `channelid=${GATE_ID},${YARD_ID}`],
    [400, "channelid=5"],
    [404, "channelid=99999999-0000-0000-0000-000000000001"],
    [404, `login=guard&channelid=${STORE_ID}`],
    [400, "mode=test"],
    [400, "responsetype=csv"],
  ])("are refused with %i for %s", async (status, query) => {
    const credentials = query.includes("login=") ? "" : `${ROOT_QUERY}&`;
    expect((await fetch(api.url(`/event?${credentials}${query}`))).status).toBe(status);
  });

  it("ask for virtual plates with mode=demo, which others do not get and nothing keeps", async () => {
    const demo = await listen("mode=Demo");
    const other = await listen();
    for (let index = 0; index < 16; index++) {
      clock.advance(250_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const plates = (client: RawClient): ReadItem[] =>
      items(client).filter((item) => item.value("EventId") === EVENT_TYPES.plateRecognized.id);
    await until("a virtual plate", () => plates(demo).length === 1);
    await until("keep-alives of the other", () => items(other).length >= 3);
    expect(plates(other)).toEqual([]);
    expect(api.events.raised).toEqual([]);
    const [plate] = plates(demo);
    expect([plate?.value("ChannelId"), plate?.value("Left")]).toEqual([EMPTY_GUID, "0"]);
  });

  it("ask for virtual plates with a number and an initiator other than the system", async () => {
    const demo = await listen("mode=demo");
    clock.advance(DEMO_PERIOD_MS * 1000);
    const plates = (): ReadItem[] => items(demo).filter((item) => item.value("plateText") !== undefined);
    await until("a virtual plate", () => plates().length === 1);
    const [plate] = plates();
    expect(plate?.value("plateText")).toMatch(/^[A-Z]\d{3}[A-Z]{2}\d{2}$/);
    expect(plate?.value("Numberplate")).toBe(plate?.value("plateText"));
    expect(plate?.value("InitiatorName")).toBe("ExternalEvent");
  });

  describe("a type of a module that is not here", () => {
    const UNKNOWN = "e37ac864-824f-4848-bc25-7dc87fb145c7";

    it("gives a stream of keep-alives, and no event of another type", async () => {
      const client = await listen(`filter=${UNKNOWN}`);
      motion("at the gate");
      for (let seconds = 1; seconds <= 2; seconds++) {
        clock.advance(1_000_000);
        await until(`keep-alive ${seconds}`, () => items(client).length === seconds);
      }
      expect(comments(client)).toBe("KeepAlive KeepAlive");
    });

    it("gives the virtual plates of mode=demo too, which the filter of a known type leaves out", async () => {
      const unknown = await listen(`filter=${UNKNOWN}&mode=demo`);
      const known = await listen(`filter=${MOTION}&mode=demo`);
      clock.advance(DEMO_PERIOD_MS * 1000);
      await until("the plate", () => unknown.text.includes('"plateText"'));
      clock.advance(1_000_000);
      await until("the other's keep-alive", () => known.text.includes("KeepAlive"));
      expect(known.text).not.toContain('"plateText"');
    });
  });
});

describe("rights on /event", () => {
  const guard = (change: Parameters<typeof guardsGroup>[0]): Promise<unknown> =>
    changeGuards(api.site, change);
  const raiseAll = (): void => {
    motion("gate");
    motion("store", { channelId: STORE_ID });
    api.events.raise({ typeId: EVENT_TYPES.volumeLost.id, comment: "system" });
    const initiator = { type: 1, id: "66666666-0000-4000-8000-000000000001", name: "root" } as const;
    api.events.raise({ typeId: EVENT_TYPES.login.id, comment: "root", initiator });
    const own = { type: 1, id: "66666666-0000-4000-8000-000000000002", name: "guard" } as const;
    api.events.raise({ typeId: EVENT_TYPES.login.id, comment: "guard", initiator: own });
    motion("last");
  };

  it.each([
    ["all rights", {}, "gate system root guard last"],
    ["no right to all users", { CanAccessToAllUsersInUnifiedLog: false }, "gate system guard last"],
    ["no right to the log", { CanAccessUnifiedLog: false }, "gate last"],
  ])("with %s", async (_what, change, expected) => {
    await guard({ rights: rights({ CanConfigure: false, ...change }) });
    const client = await listen("", "login=guard");
    raiseAll();
    await passGaps(6);
    await until("the last", () => comments(client).endsWith("last"));
    expect(comments(client)).toBe(expected);
  });

  it("leaves out the names of cameras that the user may not see from events of the recorder", async () => {
    await guard({ rights: rights({ CanConfigure: false }) });
    const [guards, root] = [await listen("", "login=guard"), await listen()];
    const names = api.site.current.cameras.map(({ name }) => name);
    const store = api.site.current.cameras.find(({ id }) => id === STORE_ID)?.name ?? "";
    const about = `revision 5: channels ${names.join(", ")} changed`;
    api.events.raise({ typeId: EVENT_TYPES.configurationChanged.id, comment: about });
    api.events.raise({ typeId: EVENT_TYPES.volumeLost.id, comment: `/srv/a: it held ${store}, 3 segments` });
    motion("last");
    await passGaps(3);
    for (const client of [guards, root]) await until("the last", () => comments(client).endsWith("last"));
    expect(comments(root)).toContain(about);
    expect(comments(guards)).toBe("revision 5 /srv/a: it held …, 3 segments last");
    expect(guards.text).not.toContain(store);
  });

  it("change at once with the configuration, and no event is lost over it", async () => {
    const client = await listen("", "login=guard");
    motion("yard 1", { channelId: YARD_ID });
    await until("the first", () => comments(client) === "yard 1");
    const changed = guard({ realtimeChannels: [GATE_ID], archiveChannels: [] });
    await changed;
    motion("yard 2", { channelId: YARD_ID });
    motion("gate 2");
    clock.advance(200_000);
    await until("the second", () => comments(client).includes("gate 2"));
    expect(comments(client)).toBe("yard 1 gate 2");
  });

  it.each<[string, string, () => Promise<unknown>]>([
    [
      "the channel asked for",
      `channelid=${GATE_ID}`,
      () => guard({ realtimeChannels: [], archiveChannels: [] }),
    ],
    ["everything", "", () => guard({ rights: rights({ IsAllForbidden: true }) })],
    ["its account", "", () => api.site.change((site) => ({ ...site, users: site.users.slice(0, 1) }))],
  ])("end the stream of a user that loses %s", async (_what, query, change) => {
    const client = await listen(query, "login=guard");
    await change();
    clock.advance(200_000);
    await until("the end of the body", () => client.text.endsWith("0\r\n\r\n"), { seen: () => client.text });
    await until("nobody listens", () => api.events.listeners === 0, { seen: () => api.events.listeners });
  });

  it("refuse a user to whom all is forbidden", async () => {
    await guard({ rights: rights({ IsAllForbidden: true }) });
    expect((await fetch(api.url("/event?login=guard"))).status).toBe(403);
  });
});

it("a client that takes nothing holds a bounded number of items, and is closed", async () => {
  const slow = api.connect({ paused: true });
  slow.get(`/event?${ROOT_QUERY}`);
  await until("it listens", () => api.events.listeners === 1);
  const brisk = await listen();
  let raised = 0;
  const comment = "x".repeat(3000);
  while (api.server.eventCounts.dropped === 0 && raised < 20_000) {
    for (let index = 0; index < 20; index++) motion(`${comment} ${raised++}`);
    await passGaps(20);
    await until("the brisk client has it", () => brisk.text.includes(` ${raised - 1}"`));
  }
  expect(raised).toBeGreaterThan(LISTENER_QUEUE_ITEMS_MAX);
  expect(api.server.eventCounts.dropped).toBeGreaterThan(0);
  slow.resume();
  for (let seconds = 0; seconds < 12; seconds++) clock.advance(1_000_000);
  await until("it is closed", () => slow.closed);
  expect(brisk.closed).toBe(false);
});

it("HEAD is answered without a body and without a listener", async () => {
  const response = await fetch(api.url(`/event?${ROOT_QUERY}`), { method: "HEAD" });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(api.events.listeners).toBe(0);
});
