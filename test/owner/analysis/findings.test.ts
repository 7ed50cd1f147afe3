import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Finding, Findings } from "../../../src/contract/answer/index.js";
import type { FindingBegin } from "../../../src/finding/index.js";
import { changeGuards, GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;
const BOX = { left: 0.25, top: 0.25, width: 0.5, height: 0.5 };
const GUARD = "login=guard";

let api: ApiHarness;
let count: number;

beforeEach(async () => {
  api = await startApi({ clock: new SimulatedClock(NINE_US + 3600 * SECOND_US) });
  count = 0;
});

afterEach(() => api.stop());

/** Something that was seen for two seconds, each a minute after the one before. */
function seen(change: Partial<FindingBegin> = {}): string {
  const atUs = NINE_US + count * 60 * SECOND_US;
  count += 1;
  const id =
    api.lasting.begin({ channelId: GATE_ID, kind: "person", source: "recorder", atUs, ...change }) ?? "";
  api.lasting.end(id, atUs + 2 * SECOND_US);
  return id;
}

const ask = (path: string, credentials = ROOT_QUERY, body?: object): Promise<Response> =>
  fetch(
    api.url(`${path}${path.includes("?") ? "&" : "?"}${credentials}`),
    body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
  );

async function page(query = "", credentials?: string): Promise<Findings> {
  const response = await ask(`/api/findings?${query}`, credentials);
  expect(response.status).toBe(200);
  return (await response.json()) as Findings;
}

const ids = ({ Findings: found }: Findings): string[] => found.map(({ Id }) => Id);

describe("a finding", () => {
  it("is answered with all that is known of it", async () => {
    const id = seen({ label: "Courier", score: 0.5, box: BOX, zones: ["Door"], line: "Fence" });
    expect((await page()).Findings).toEqual([
      {
        ...{ Id: id, ChannelId: GATE_ID, ChannelName: "Gate", Kind: "person", Label: "courier" },
        ...{ Source: "recorder", SourceName: "" },
        ...{ Begin: "2026-11-21T09:00:00.0000000Z", End: "2026-11-21T09:00:02.0000000Z" },
        ...{ Score: expect.closeTo(0.5), Strength: null, Size: expect.closeTo(0.25), Zones: ["Door"] },
        ...{ Line: "Fence", Direction: null, Number: null, Name: null, Seen: false },
        Best: {
          Time: "2026-11-21T09:00:00.0000000Z",
          Box: {
            ...{ Left: expect.closeTo(0.25), Top: expect.closeTo(0.25) },
            ...{ Width: expect.closeTo(0.5), Height: expect.closeTo(0.5) },
          },
        },
      } satisfies Finding,
    ]);
  });

  it("that lasts has no end", async () => {
    api.lasting.begin({ channelId: GATE_ID, kind: "motion", source: "motion", atUs: NINE_US });
    expect((await page()).Findings).toMatchObject([{ Kind: "motion", End: null }]);
  });

  it("has a way when it is asked for alone", async () => {
    const id = seen({ box: BOX });
    const response = await ask(`/api/findings/${id}`);
    expect(await response.json()).toMatchObject({ Id: id, Path: [{ Box: { Left: 0.25 } }] });
  });

  it("of a plate has its number, that of a face a name", async () => {
    seen({ kind: "plate", text: "B-AB 123" });
    seen({ kind: "face", text: "Ada" });
    expect((await page()).Findings).toMatchObject([
      { Number: null, Name: "Ada" },
      { Number: "B-AB 123", Name: null },
    ]);
  });

  it("without a recording has no picture", async () => {
    const id = seen();
    expect((await ask(`/api/findings/${id}/picture`)).status).toBe(404);
  });

  it("has a picture later while it is not known what is recorded", async () => {
    const id = seen();
    api.archive.fault = "the index is being opened";
    const { status, headers } = await ask(`/api/findings/${id}/picture`);
    expect([status, headers.get("retry-after")]).toEqual([503, "2"]);
  });
});

describe("a search", () => {
  it("ends when whoever asked has left", async () => {
    seen();
    const search = vi.spyOn(api.findings, "search");
    const leaving = new AbortController();
    let signal: AbortSignal | undefined;
    search.mockImplementation(async (query) => {
      signal = query.signal;
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      signal?.throwIfAborted();
      return { findings: [], hasMore: false };
    });
    const asked = fetch(api.url(`/api/findings?${ROOT_QUERY}`), { signal: leaving.signal });
    await until("it is searched", () => signal !== undefined);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await until("it has ended", () => signal?.aborted === true);
    expect(api.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});

describe("a user who may watch the archive of one of two channels", () => {
  beforeEach(async () => {
    await changeGuards(api.site, { realtimeChannels: [YARD_ID], archiveChannels: [YARD_ID] });
    for (let at = 0; at < 5; at += 1) seen();
  });

  it("finds what is of that channel, and no sign of the rest in pages and what is next", async () => {
    const yard = seen({ channelId: YARD_ID });
    for (let at = 0; at < 5; at += 1) seen();
    const found = await page("limit=1", GUARD);
    expect([ids(found), found.Next]).toEqual([[yard], null]);
    expect((await page("limit=200")).Findings).toHaveLength(11);
  });

  it("is told that the other channel is none, and its findings too", async () => {
    const gate = seen();
    for (const path of [
      `/api/findings?channelids=${GATE_ID}`,
      `/api/findings?channelids=${YARD_ID},${GATE_ID}`,
      `/api/findings/${gate}`,
      `/api/findings/${gate}/picture`,
    ])
      expect((await ask(path, GUARD)).status).toBe(404);
  });

  it("may see a channel live and none of its findings", async () => {
    const yard = seen({ channelId: YARD_ID });
    await changeGuards(api.site, { realtimeChannels: [YARD_ID], archiveChannels: [] });
    expect(ids(await page("", GUARD))).toEqual([]);
    expect((await ask(`/api/findings/${yard}`, GUARD)).status).toBe(403);
  });
});

describe("pages", () => {
  it("go on with what is next until the end", async () => {
    const all = [seen(), seen(), seen()].reverse();
    const first = await page("limit=2");
    const second = await page(`limit=2&before=${first.Next}`);
    expect([ids(first), ids(second), second.Next]).toEqual([all.slice(0, 2), all.slice(2), null]);
  });
});

describe("what a user has seen", () => {
  it("is marked one by one and up to a moment, for that user alone", async () => {
    await changeGuards(api.site, { realtimeChannels: [GATE_ID], archiveChannels: [GATE_ID] });
    const [first, second, third] = [seen(), seen(), seen()];
    await ask("/api/findings/seen", ROOT_QUERY, { Ids: [third] });
    expect(ids(await page("unseen=true"))).toEqual([second, first]);
    const answer = await ask("/api/findings/seen", ROOT_QUERY, { UpTo: "2026-11-21T09:00:30Z" });
    expect(await answer.json()).toEqual({ SeenUpTo: "2026-11-21T09:00:30.0000000Z" });
    expect(ids(await page("unseen=true"))).toEqual([second]);
    expect((await page()).Findings.map(({ Seen }) => Seen)).toEqual([true, false, true]);
    expect(ids(await page("unseen=true", GUARD))).toEqual([third, second, first]);
  });

  it.each([{ Ids: ["nothing"] }, { UpTo: "yesterday" }, { Ids: Array(1001).fill(`${GATE_ID}-1`) }])(
    "cannot be said by %j",
    async (body) => {
      expect((await ask("/api/findings/seen", ROOT_QUERY, body)).status).toBe(400);
    },
  );
});

describe("what the query says", () => {
  it.each([
    ["starttime=2026-11-21T10:00:00Z&endtime=2026-11-21T09:00:00Z", 409],
    ["left=0.5", 400],
    ["left=0&top=0&width=1", 400],
    ["left=&top=", 200],
    ["kinds=person,vehicle", 200],
    ["kinds=persons", 400],
    ["sources=camera,motion", 200],
    ["sources=spy", 400],
    [`labels=${"x".repeat(65)}`, 400],
    [`text=${"x".repeat(129)}`, 400],
    [`channelids=${YARD_ID},`, 400],
    [`channelids=${Array(201).fill(YARD_ID).join(",")}`, 400],
    [`before=${GATE_ID}-8999999999999999`, 200],
    [`before=${GATE_ID}-9999999999999999`, 400],
    ["limit=0", 400],
  ])("%s: %d", async (query, status) => {
    expect((await ask(`/api/findings?${query}`)).status).toBe(status);
  });

  it("a time that has not come yet holds nothing", async () => {
    seen();
    expect(ids(await page("starttime=2050-01-01T00:00:00Z"))).toEqual([]);
  });

  it("words, kinds and blanks are understood", async () => {
    const [person, car] = [seen(), seen({ kind: "vehicle", label: "car", channelId: YARD_ID })];
    expect(ids(await page("text=person+gate"))).toEqual([person]);
    expect(ids(await page("kinds=vehicle"))).toEqual([car]);
    expect(ids(await page("number=+&name=+&text=+"))).toEqual([car, person]);
  });
});
