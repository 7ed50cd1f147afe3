import { afterEach, describe, expect, it } from "vitest";
import type { Guid } from "../../../src/base/index.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { ROOT_QUERY } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { until } from "../../support/base/until.js";
import { RecordersAtHub } from "../../support/fleet/recorders-at-hub.js";

const GATE: Guid = "22222222-0000-4000-8000-0000000000a1";
const YARD: Guid = "22222222-0000-4000-8000-0000000000b1";
const SAME: Guid = "22222222-0000-4000-8000-0000000000c1";
const CAMERAS = { North: { [GATE]: "Gate", [SAME]: "Hall" }, South: { [YARD]: "Yard", [SAME]: "Store" } };

let place: RecordersAtHub;

afterEach(() => place?.stop());

async function started(options: Partial<Parameters<typeof RecordersAtHub.start>[0]> = {}): Promise<void> {
  place = await RecordersAtHub.start({ cameras: CAMERAS, ...options });
}

interface Configuration {
  readonly Servers: readonly { readonly Id: Guid; readonly Name: string; readonly IsConnected: boolean }[];
  readonly Channels: readonly { readonly Id: Guid; readonly Name: string }[];
  readonly RootSecObject: {
    readonly ChildSecObjects: readonly { readonly Name: string; readonly ChildChannels: readonly Guid[] }[];
  };
}

const configuration = async () => (await place.json<Configuration>("/configex?responsetype=json")).value;

async function idOf(name: string): Promise<Guid> {
  const { Channels } = await configuration();
  return Channels.find((channel) => channel.Name === name)?.Id ?? `none is called ${name}`;
}

describe("the configuration of a hub", () => {
  it("has its recorders as servers, their channels, and a folder for each", async () => {
    await started();

    const { Servers, Channels, RootSecObject } = await configuration();

    expect(Servers.map(({ Name, IsConnected }) => [Name, IsConnected])).toEqual([
      ["Hub", true],
      ["North", true],
      ["South", true],
    ]);
    expect(Channels.map(({ Name }) => Name)).toEqual(["Gate", "Hall", "Yard", "Store"]);
    expect(Channels.map(({ Id }) => Id)).toEqual(expect.arrayContaining([GATE, YARD]));
    expect(RootSecObject.ChildSecObjects).toMatchObject([
      { Name: "North", ChildChannels: [GATE, await idOf("Hall")] },
      { Name: "South", ChildChannels: [YARD, await idOf("Store")] },
    ]);
  });

  it("tells channels of one id apart", async () => {
    await started();

    const [hall, store] = [await idOf("Hall"), await idOf("Store")];

    expect(new Set([hall, store, SAME]).size).toBe(3);
    expect((await place.json<{ Name: string }>(`/api/channels/${hall}`)).value).toMatchObject({
      ...{ Id: hall, Name: "Hall" },
    });
    expect((await place.json<{ Name: string }>(`/api/channels/${store}`)).value).toMatchObject({
      ...{ Id: store, Name: "Store" },
    });
  });

  it("is the same in XML", async () => {
    await started();

    const text = await (await place.hub.get("/configex")).text();

    expect(text.match(/<ChannelInfo /g)).toHaveLength(4);
    expect(text).toMatch(new RegExp(`<ChannelInfo Id="${GATE}" Name="Gate" `));
    expect(text).toMatch(/<SecObjectInfo Id="[0-9a-f-]{36}" Name="South">/);
  });

  it("keeps the channels of a recorder that is silent, and says that it is", async () => {
    await started();
    await place.of("South").box.membership.stop();
    await until(
      "South is silent",
      () => place.bench.hub.box(place.of("South").box.id)?.silence !== undefined,
    );

    const { Servers, Channels } = await configuration();

    expect(Servers.map(({ IsConnected }) => IsConnected)).toEqual([true, true, false]);
    expect(Channels).toHaveLength(4);
  });

  it("follows a change at a recorder", async () => {
    await started();
    const { site } = place.of("North").api;
    await site.change((draft) => ({
      ...draft,
      cameras: draft.cameras.map((one) => ({ ...one, name: "Door" })),
    }));
    place.bench.hub.catalogue.said(place.of("North").box.id, site.current.revision);

    const names = () =>
      place.bench.hub.catalogue.boxes.flatMap(({ channels }) => channels.map(({ Name }) => Name));
    await until("the hub knows the new name", () => names().includes("Door"), { seen: names });

    expect(await idOf("Door")).not.toBe("none is called Door");
  });

  it("is that of the hub alone for who may not watch all cameras", async () => {
    await started();
    const guard = await fetch(place.hub.url("/configex?responsetype=json&login=guard"));

    expect(((await guard.json()) as Configuration).Servers).toHaveLength(1);
  });
});

describe("what is asked of a channel at a hub", () => {
  it("is asked of the recorder that has it, whatever names it", async () => {
    await started();
    const asked = [
      `/archivefragments?channelid=${YARD}&fromtime=01.06.2023%2000:00:00&totime=02.06.2023%2000:00:00&responsetype=json`,
      `/archivefragments?channelid=${YARD.toUpperCase()}&fromtime=01.06.2023%2000:00:00&totime=02.06.2023%2000:00:00&responsetype=json`,
      `/api/channels/${YARD}/status`,
      `/command?type=findarchive&channelid=${YARD}&searchtime=01.06.2023%2000:00:00&responsetype=json`,
    ];

    for (const path of asked) {
      const [through, own] = [await place.hub.get(path), await place.of("South").api.get(path)];
      expect([path, through.status]).toEqual([path, own.status]);
      if (!path.startsWith("/command")) expect(await through.text()).toBe(await own.text());
    }
  });

  it("may name it by its name, or by its number among all", async () => {
    await started();

    for (const selected of ["channel=yard", "channelnum=2", `channelid=${YARD}`])
      expect((await place.hub.get(`/site?${selected}&mode=archive&time=01.06.2023%2000:00:00`)).status).toBe(
        (await place.of("South").api.get(`/site?channelid=${YARD}&mode=archive&time=01.06.2023%2000:00:00`))
          .status,
      );
    expect((await place.hub.get("/site?channel=nobody")).status).toBe(404);
  });

  it("never takes the login of the hub along, and nothing of it is a page of the hub", async () => {
    await started();

    const answer = await fetch(place.hub.url(`/api/channels/${YARD}/status?${ROOT_QUERY}`));

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
  });

  it("is bounded by what the recorder's owner allows", async () => {
    await started();

    const refused = await place.hub.get(`/ptz?channelid=${YARD}&command=stop`);

    expect(refused.status).toBe(403);
  });

  it("is 503 at once where the recorder is silent", async () => {
    await started();
    await place.of("South").box.membership.stop();
    await until(
      "South is silent",
      () => place.bench.hub.box(place.of("South").box.id)?.silence !== undefined,
    );

    expect((await place.hub.get(`/api/channels/${YARD}/status`)).status).toBe(503);
  });

  it("is refused where it is of several recorders and cannot be one answer", async () => {
    await started();

    expect((await place.hub.get(`/api/channels/${YARD}/status?beside=${GATE}`)).status).toBe(409);
  });
});

interface Lines {
  readonly Channels: readonly { readonly Id: Guid }[];
}

describe("an answer of several recorders", () => {
  const asked = (ids: readonly string[]) =>
    `/api/timeline?channels=${ids.join(",")}&from=2023-06-01T00:00:00Z&to=2023-06-02T00:00:00Z&steps=10`;

  it("leaves no trace among the events that it searches", async () => {
    await started();
    const { events } = place.of("North").api;
    const raised: string[] = [];
    events.onEvent(({ typeId, comment }) => raised.push(`${typeId} ${comment}`));

    await fetch(place.hub.url(`/archive_events?${ROOT_QUERY}`), { method: "POST", body: "{}" });

    expect(raised.filter((text) => text.includes("archive_events"))).toEqual([]);
  });

  it("is the timeline of their channels, in the order that was asked for", async () => {
    await started();
    const ids = [YARD, await idOf("Hall"), GATE, await idOf("Store")];

    const { status, value } = await place.json<Lines>(asked(ids));

    expect([status, value.Channels.map(({ Id }) => Id)]).toEqual([200, ids]);
  });

  it("says whose part is missing, and does not wait for it", async () => {
    await started();
    const { box } = place.of("South");
    await box.membership.stop();
    await until("South is silent", () => place.bench.hub.box(box.id)?.silence !== undefined);

    const { status, headers, value } = await place.json<Lines>(asked([YARD, GATE]));

    expect([status, value.Channels.map(({ Id }) => Id)]).toEqual([200, [GATE]]);
    expect(headers.get("recorders-missing")).toBe(box.id);
  });

  it("is a refusal where all refuse", async () => {
    await started();

    expect((await place.hub.get(`${asked([YARD, GATE])}&steps=0`)).status).toBe(400);
  });

  it("has the events of all in the order of time, and no more than was asked for", async () => {
    const clock = new SimulatedClock(NINE_US);
    await started({ options: { clock } });
    for (const [name, comment] of [
      ["North", "first"],
      ["South", "second"],
      ["North", "third"],
    ] as const) {
      place.of(name).api.events.raise({
        ...{ typeId: "c9d6d086-c965-4cf8-aef6-85b3894e3a4a", comment },
        channelId: name === "North" ? GATE : YARD,
      });
      clock.advance(1000);
    }

    const search = async (body: object) => {
      const answer = await fetch(place.hub.url(`/archive_events?${ROOT_QUERY}`), {
        ...{ method: "POST", body: JSON.stringify(body) },
      });
      return ((await answer.json()) as { EventComment: string; ChannelId: Guid }[]).map(
        ({ EventComment }) => EventComment,
      );
    };
    const eventIds = ["c9d6d086-c965-4cf8-aef6-85b3894e3a4a"];

    expect(await search({ eventIds })).toEqual(["first", "second", "third"]);
    expect(await search({ eventIds, searchLimitCount: 2 })).toEqual(["second", "third"]);
    expect(await search({ eventIds, searchLimitCount: 1, isSearchFromBegin: true })).toEqual(["first"]);
    expect(await search({ eventIds, channelIds: [YARD] })).toEqual(["second"]);
  });
});

interface FoundPage {
  readonly Findings: readonly { readonly Id: string; readonly ChannelId: Guid; readonly Seen: boolean }[];
  readonly Next: string | null;
  readonly IsComplete: boolean;
}

describe("findings of several recorders", () => {
  const SECOND_US = 1_000_000;
  /** Begins of findings at each recorder's camera of the one id that both have, and at its own. */
  const BEGUN: readonly (readonly [string, Guid, number])[] = [
    ["North", GATE, 10],
    ["South", YARD, 20],
    ["North", SAME, 30],
    ["South", SAME, 40],
    ["North", GATE, 50],
  ];

  async function withFindings(): Promise<void> {
    await started({ options: { clock: new SimulatedClock(NINE_US + 3600 * SECOND_US) } });
    begin();
  }

  function begin(): void {
    for (const [name, channelId, second] of BEGUN) {
      const { lasting } = place.of(name).api;
      const atUs = NINE_US + second * SECOND_US;
      lasting.end(
        lasting.begin({ channelId, kind: "person", source: "recorder", atUs }) ?? "",
        atUs + SECOND_US,
      );
    }
  }

  const secondsOf = ({ Findings: found }: FoundPage) =>
    found.map(({ Id }) => (Number(Id.slice(37)) - NINE_US) / SECOND_US);
  const page = async (query: string) => (await place.json<FoundPage>(`/api/findings?${query}`)).value;

  it("come newest first, page by page, with ids that lead to them", async () => {
    await withFindings();

    const first = await page("limit=2");
    const second = await page(`limit=2&before=${first.Next}`);
    const last = await page(`limit=2&before=${second.Next}`);

    expect([first, second, last].map(secondsOf)).toEqual([[50, 40], [30, 20], [10]]);
    expect([last.Next, first.IsComplete]).toEqual([null, true]);
    const ofStore = first.Findings[1];
    expect(ofStore?.ChannelId).toBe(await idOf("Store"));
    expect((await place.json<{ Id: string }>(`/api/findings/${ofStore?.Id}`)).value.Id).toBe(ofStore?.Id);
  });

  it("are those of the cameras that are asked for", async () => {
    await withFindings();

    expect(secondsOf(await page(`channelids=${await idOf("Hall")},${YARD}`))).toEqual([30, 20]);
  });

  it("are found by words at all recorders: a person at any gate within a time", async () => {
    await started({
      cameras: {
        North: { [GATE]: "Gate north", [SAME]: "Hall" },
        South: { [YARD]: "Gate south", [SAME]: "Store" },
      },
      options: { clock: new SimulatedClock(NINE_US + 3600 * SECOND_US) },
    });
    begin();
    const [from, to] = [15, 45].map((second) =>
      new Date((NINE_US + second * SECOND_US) / 1000).toISOString(),
    );

    const found = await page(`text=person+gate&starttime=${from}&endtime=${to}`);

    expect([secondsOf(found), found.IsComplete]).toEqual([[20], true]);
    expect(secondsOf(await page("text=person+gate"))).toEqual([50, 20, 10]);
    expect(secondsOf(await page("text=vehicle+gate"))).toEqual([]);
  });

  it("are marked as seen where they are", async () => {
    await withFindings();
    const [, store] = (await page("")).Findings;

    const marked = await fetch(place.hub.url(`/api/findings/seen?${ROOT_QUERY}`), {
      ...{ method: "POST", body: JSON.stringify({ Ids: [store?.Id] }) },
    });

    expect([marked.status, marked.headers.get("recorders-missing")]).toEqual([200, null]);
    expect((await page("")).Findings.map(({ Seen }) => Seen)).toEqual([false, true, false, false, false]);
  });

  it("are not complete without a recorder that is silent", async () => {
    await withFindings();
    const { box } = place.of("South");
    await box.membership.stop();
    await until("South is silent", () => place.bench.hub.box(box.id)?.silence !== undefined);

    const found = await page("");

    expect([secondsOf(found), found.IsComplete]).toEqual([[50, 30, 10], false]);
  });
});
